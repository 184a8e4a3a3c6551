import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Ebb, EbbError } from "../src/index.js";
import { contents, newUser } from "./running.js";

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof EbbError && error.code === code;

test("memories are saved, found, listed over pages, changed and restored", async () => {
  const ebb = newUser();
  const pizza = await ebb.remember("User likes pizza", { tags: ["food"] });
  await ebb.rememberAll(Array.from({ length: 201 }, (_, n) => ({ content: `Counted ${n} sheep` })));

  const found = await ebb.search("What food does the user like?", { limit: 1 });
  assert.equal(found.results[0]?.memory.id, pizza.id);
  assert.match((await ebb.recall("What do I like to eat?")).text, /User likes pizza/);
  assert.equal(new Set(await contents(ebb)).size, 202);

  assert.equal((await ebb.revise(pizza.id, { content: "User likes pasta" })).revision, 2);
  assert.equal((await ebb.forget(pizza.id)).status, "binned");
  assert.deepEqual((await ebb.restore(pizza.id)).map(({ content }) => content), ["User likes pasta"]);
  const again = await ebb.remember("User likes pasta");
  assert.equal(again.id, pizza.id, "a restatement reinforces");
});

test("a reply is streamed", async () => {
  const events = [];
  for await (const event of newUser().streamChat("Hello")) events.push(event);

  assert.equal(events[0]?.name, "recalled");
  const tokens = events.filter(({ name }) => name === "token").map(({ data }) => data.text);
  assert.equal(tokens.join(""), events.at(-1)?.data.reply);
});

test("users are kept apart, whatever their names", async () => {
  const [ana, rui] = ["Ana 安娜", "rui"].map((name) => newUser().forUser(name + crypto.randomUUID()));
  await ana!.remember("User likes pizza");

  assert.deepEqual(await contents(ana!), ["User likes pizza"]);
  assert.deepEqual(await contents(rui!), []);
});

test("errors have the API's code and fields", async () => {
  const ebb = newUser();
  await assert.rejects(ebb.remember("User likes pizza", { importance: 3 }), (error: EbbError) => {
    assert.equal(error.status, 422);
    assert.equal(error.errors[0]?.field, "importance");
    return refusedWith("memory_invalid_arguments")(error);
  });
  await assert.rejects(ebb.memory(crypto.randomUUID()), refusedWith("not_found"));
  await assert.rejects(new Ebb({ key: "ebb_wrong" }).tools(), refusedWith("unauthorized"));
  await assert.rejects(ebb.streamChat("").next(), refusedWith("memory_invalid_arguments"));
  assert.throws(() => new Ebb({ key: " " }), /no API key/);
});

test("calls that may be sent twice are, with the pause that was asked for", async () => {
  const received: string[] = [];
  const failing = [429, 503, 200];
  const server = createServer((request, response) => {
    received.push(String(request.headers["idempotency-key"]));
    const status = failing.shift() ?? 200;
    const code = status === 429 ? "rate_limited" : "busy";
    response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "0" });
    response.end(JSON.stringify(status === 200 ? { id: "1" } : { code }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    assert.equal((await new Ebb({ url }).remember("User likes pizza")).id, "1");
    assert.equal(received.length, 3);
    assert.equal(new Set(received).size, 1, "one key for all attempts");

    failing.push(503);
    await assert.rejects(new Ebb({ url }).callTool("remember", {}), refusedWith("busy"));
    assert.equal(received.length, 4, "a call that may change something is not repeated");
  } finally {
    server.close();
    server.closeAllConnections();
  }
  await assert.rejects(new Ebb({ url, retries: 0 }).tools(), refusedWith("unreachable"));
});
