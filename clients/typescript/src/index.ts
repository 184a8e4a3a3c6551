export { type ChatEvent, Ebb, type Memory, type MemoryFilters, type ToolAnswer } from "./client.js";
export { EbbError } from "./errors.js";
export type { components, operations, paths } from "./schema.js";
export type { Options } from "./wire.js";
