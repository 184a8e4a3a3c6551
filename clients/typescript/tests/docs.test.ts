import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { MockLanguageModelV4 } from "ai/test";
import ts from "typescript";
import { learned, newUser } from "./running.js";

const PAGE = "../../docs/adapters.md"; // from the package's folder, where npm runs tests

test("the example of the page works", async () => {
  const page = await readFile(PAGE, "utf8");
  const code = page.match(/^```ts\n([^]*?)^```$/m)?.[1] ?? "";
  const userId = `user-${crypto.randomUUID()}`;
  assert.match(code, /"alice"/);
  const asked = `${code.replace('"alice"', `"${userId}"`)}\nexport { text };`;
  const file = new URL("snippet.mjs", import.meta.url);
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  await writeFile(file, ts.transpileModule(asked, { compilerOptions }).outputText);
  const reply = {
    content: [{ type: "text" as const, text: "I will remember that." }],
    finishReason: { unified: "stop" as const, raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  };
  Object.assign(globalThis, { model: new MockLanguageModelV4({ doGenerate: async () => reply }) });
  try {
    assert.equal((await import(file.href)).text, "I will remember that.");
  } finally {
    await rm(file);
  }
  assert.match((await learned(newUser().forUser(userId))).join("\n"), /pizza/);
});
