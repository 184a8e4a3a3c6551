import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel, jsonSchema } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { ebbMemory } from "../src/ai-sdk.js";
import { contents, learned, newUser } from "./running.js";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const ended = (unified: "stop" | "tool-calls") => ({ unified, raw: undefined });
const saying = (text: string) => ({
  content: [{ type: "text" as const, text }],
  finishReason: ended("stop"),
  usage,
  warnings: [],
});

test("memories are added to the system prompt, and the exchange is learned from", async () => {
  const ebb = newUser();
  await ebb.remember("User likes pizza", { memory_type: "preference" });
  const mock = new MockLanguageModelV4({ doGenerate: async () => saying("I will remember that.") });
  const model = wrapLanguageModel({ model: mock, middleware: ebbMemory(ebb) });

  await generateText({ model, system: "Be brief.", prompt: "Which food do I like?" });
  await generateText({ model, prompt: "I am allergic to penicillin." });

  const [first, second] = mock.doGenerateCalls.map(({ prompt }) => prompt[0]);
  assert.equal(first?.role, "system");
  assert.match(String(first?.content), /^Be brief\.[^]*User likes pizza/);
  assert.ok(second);
  assert.match((await learned(ebb)).join("\n"), /penicillin/);
});

test("a streamed reply is learned from", async () => {
  const ebb = newUser();
  const mock = new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "I will " },
          { type: "text-delta", id: "1", delta: "remember that." },
          { type: "text-end", id: "1" },
          { type: "finish", finishReason: ended("stop"), usage },
        ],
      }),
    }),
  });
  const model = wrapLanguageModel({
    model: mock,
    middleware: ebbMemory(ebb, { conversationId: "1" }),
  });

  const { textStream } = streamText({ model, prompt: "I am allergic to penicillin." });
  let reply = "";
  for await (const text of textStream) reply += text;

  assert.equal(reply, "I will remember that.");
  assert.match((await learned(ebb)).join("\n"), /penicillin/);
});

test("a step that calls a tool is not yet an exchange", async () => {
  const ebb = newUser();
  const steps = [
    {
      content: [{ type: "tool-call" as const, toolCallId: "1", toolName: "time", input: "{}" }],
      finishReason: ended("tool-calls"),
      usage,
      warnings: [],
    },
    saying("It is noon."),
  ];
  const mock = new MockLanguageModelV4({ doGenerate: async () => steps.shift()! });
  const model = wrapLanguageModel({ model: mock, middleware: ebbMemory(ebb) });
  const time = tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: async () => "noon" });

  const done = await generateText({
    model,
    prompt: "What time is it?",
    tools: { time },
    stopWhen: stepCountIs(2),
  });

  assert.equal(done.text, "It is noon.");
  await learned(ebb);
  const { items } = await ebb.call<{ items: unknown[] }>("GET", "assessments");
  assert.equal(items.length, 1);
  assert.deepEqual(await contents(ebb), []);
});
