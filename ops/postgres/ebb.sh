#!/bin/sh
# Creates Ebb's user and database in the new PostgreSQL of compose.yaml. The user owns Ebb's tables
# and has no other rights; the superuser can log in only inside the container.
if [ "$POSTGRES_USER" = postgres ]; then
    psql --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" --username postgres <<'SQL'
CREATE ROLE ebb LOGIN PASSWORD :'password';
ALTER ROLE postgres PASSWORD NULL;
CREATE DATABASE ebb OWNER ebb;
\connect ebb
CREATE EXTENSION vector;
SQL
fi
