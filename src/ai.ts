export { aiTools, noteDenials, RefusedCall } from './faces/ai/ai-tools.ts'
export type { AiToolOptions, AiToolOutput } from './faces/ai/ai-tools.ts'
