"""A Citus cluster on this machine: a coordinator and two nodes, each on a free port."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg

from tests.citus.build import programs
from tests.processes import held_port

DATABASE = "ebb"
# Two shards for each node are enough, and quicker to empty after a test than 32.
_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
citus.shard_count = 4
citus.node_connection_timeout = '5s'
wal_level = logical
max_locks_per_transaction = 256
max_connections = 200
shared_buffers = '64MB'
fsync = off
"""


class Node:
    """One PostgreSQL of the cluster."""

    def __init__(self, folder: Path) -> None:
        with held_port() as port:
            self.port = int(port.getsockname()[1])
        self._folder = folder
        # PostgreSQL refuses to run as root.
        self._user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        folder.mkdir()
        if self._user:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        self._call("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        with (folder / "postgresql.conf").open("a") as settings:
            settings.write(f"{_SETTINGS}port = {self.port}\n")
        self.start()
        with psycopg.connect(self.url("postgres"), autocommit=True) as session:
            session.execute(f"CREATE DATABASE {DATABASE}")
        with psycopg.connect(self.url(), autocommit=True) as session:
            session.execute("CREATE EXTENSION citus")

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        self._call("pg_ctl", "start", "-w", "-s", "-l", str(self._folder / "log"))

    def stop(self) -> None:
        """Stop at once, as in a power cut: every session breaks."""
        self._call("pg_ctl", "stop", "-w", "-s", "-m", "immediate")

    def _call(self, program: str, *arguments: str) -> None:
        # The server that pg_ctl starts keeps its output open: a pipe would never end.
        subprocess.run(
            [str(programs() / program), "-D", str(self._folder), *arguments],
            check=True,
            cwd="/",
            # The nodes call each other by libpq, which reads certificates in the home folder.
            env=os.environ | {"HOME": str(self._folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            user=self._user.pw_uid if self._user else None,
            group=self._user.pw_gid if self._user else None,
        )


class Cluster:
    """A coordinator and two nodes that hold the spaces."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="ebb-citus-"))
        self._folder.chmod(0o755)
        self._started: list[Node] = []
        try:
            self.coordinator, *self.nodes = map(self._start, ("coordinator", "node1", "node2"))
            self._join()
        except BaseException:
            self.end()
            raise

    def _start(self, name: str) -> Node:
        node = Node(self._folder / name)
        self._started.append(node)
        return node

    def _join(self) -> None:
        with psycopg.connect(self.coordinator.url(), autocommit=True) as session:
            session.execute(
                "SELECT citus_set_coordinator_host('127.0.0.1', %s)", [self.coordinator.port]
            )
            for node in self.nodes:
                session.execute("SELECT citus_add_node('127.0.0.1', %s)", [node.port])

    def end(self) -> None:
        for node in self._started:
            node.stop()
        shutil.rmtree(self._folder, ignore_errors=True)
