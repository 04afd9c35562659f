import type { ToolDeclaration } from '../../../src/tools/define/declaration.ts'
import { DIALECT } from '../../../src/schema/schema.ts'

/** A tool as plain data, with every field that such a declaration has. */
export const fileReader: ToolDeclaration = {
  id: 'file.read',
  version: '1.0.0',
  name: 'File Reader',
  description: 'Reads a file',
  inputSchema: {
    $schema: DIALECT,
    type: 'object',
    properties: { path: { type: 'string', description: 'The file', pattern: '^[a-zA-Z0-9/_.-]+$' } },
    required: ['path'],
    additionalProperties: false,
  },
  outputSchema: {
    $schema: DIALECT,
    type: 'object',
    properties: {
      content: { type: 'string', description: 'What is in it' },
      size: { type: 'number', description: 'How many bytes that is' },
    },
    required: ['content', 'size'],
    additionalProperties: false,
  },
  requiredCapabilities: ['filesystem.read'],
  resourceLimits: { maxExecutionTime: 5000, maxMemory: 10_485_760, maxFileSize: 1_048_576 },
  deterministic: true,
  idempotent: true,
}
