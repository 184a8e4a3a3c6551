import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { contents, learned, newUser } from "./running.js";

/** Run an example program; return its output. */
function run(example: string, userId: string, ...said: string[]): string {
  const ran = spawnSync(process.execPath, [`dist/examples/${example}.js`, userId], {
    input: said.join("\n"),
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
}

test("the example of the client works", async () => {
  const userId = `user-${crypto.randomUUID()}`;
  assert.match(run("client", userId), /match User likes pizza\n[^]*\w/);
  assert.deepEqual(await contents(newUser().forUser(userId)), ["User likes pizza"]);
});

test("the example of the AI SDK works", async () => {
  const userId = `user-${crypto.randomUUID()}`;
  const said = run("ai-sdk-chat", userId, "I am allergic to penicillin.", "Hello");
  assert.equal(said.trim().split("\n").length >= 2, true, said);
  assert.match((await learned(newUser().forUser(userId))).join("\n"), /penicillin/);
});
