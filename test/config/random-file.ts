import * as fc from 'fast-check'
import { KEY_NAMES, SPECS } from '../../src/config/keys.ts'
import type { Key } from '../../src/config/keys.ts'
import { RULE_TYPES } from '../../src/config/rule-types.ts'

const NAMES = [
  'read_file',
  'write_file',
  'run_command',
  '*',
  '.',
  './',
  'src',
  'src/',
  '/etc',
  '..',
  '**/.ssh/**',
  '*_KEY',
  'CI',
  'LD_PRELOAD',
]

/** Entries of lists that take origins only. */
const ORIGINS: Readonly<Record<string, readonly string[]>> = {
  'tools.web_fetch.allowed_origins': ['*', 'https://example.com', '*.example.com', 'example.com:8443'],
  'tools.web_fetch.denied_origins': ['*', 'http://example.com', '*.example.com', '[::1]'],
  'tools.web_fetch.approved_origins': ['https://example.com', 'https://*.example.com', 'http://a.b:81'],
  'tools.web_fetch.private_hosts': ['localhost', '127.0.0.1:8080', '[::1]'],
}

const PARAMETERS: Readonly<Record<string, string>> = {
  tools: '["read_file"]',
  max: '2',
  seconds: '1.5',
  groups: '[["a", "b"]]',
  operations: '["list"]',
}

const rule = fc
  .tuple(
    fc.constantFrom(...Object.entries(RULE_TYPES)),
    fc.constantFrom('a', '*'),
    fc.integer({ min: 0, max: 2 }),
  )
  .map(([[type, { needs }], tool, priority]) => {
    const needed = needs.map((name) => `, ${name} = ${PARAMETERS[name] ?? ''}`).join('')
    return `{ tool = "${tool}", type = "${type}", priority = ${String(priority)}${needed} }`
  })

const rows: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'tools.rules': rule,
  'model.prices': fc.constantFrom('{ model = "m*", input = 1, output = 2.5, cached = 0 }'),
  'tools.gates': fc.constantFrom(
    '{ name = "g", command = ["/bin/g"] }',
    '{ name = "h", command = ["h", "x"], timeout_seconds = 2, tools = ["a*"] }',
  ),
  'tools.definitions': fc.constantFrom('{ name = "d", description = "d", parameters = { type = "object" } }'),
}

const server = fc.constantFrom(
  '{}',
  '{ one = { command = "one", args = ["-x"], env = { KEY = "secret" }, network = true } }',
  '{ two = { url = "https://example.com/mcp", headers = { Authorization = "secret" }, effect = "read" } }',
)

/** A value of the key, in TOML. */
function valueOf(key: Key): fc.Arbitrary<string> {
  const { kind, agent, strict } = SPECS[key]
  const { min = 0, max = 0, words = ['none'] } = kind
  const word = fc.constantFrom(...words).map((text) => `"${text}"`)
  switch (kind.type) {
    case 'boolean':
      return fc.boolean().map(String)
    case 'integer':
      return fc
        .oneof(fc.integer({ min, max }), fc.constantFrom(min, max, Number(agent), Number(strict)))
        .map(String)
    case 'number':
      return fc
        .oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(min, max, Number(agent)))
        .map((value) => value.toFixed(3))
    case 'choice':
      return word
    case 'text':
      return fc.constantFrom(...NAMES).map((name) => JSON.stringify(name))
    case 'list':
      return fc
        .array(fc.constantFrom(...(kind.words ?? ORIGINS[key] ?? NAMES)), { maxLength: 5 })
        .map((entries) => JSON.stringify(entries))
    case 'map':
      if (key === 'mcp.servers') return server
      return fc
        .uniqueArray(fc.tuple(fc.constantFrom('el', 'ts', 'constructor', 'valueof'), word), {
          selector: ([name]) => name,
        })
        .map((entries) => `{ ${entries.map(([name, text]) => `${name} = ${text}`).join(', ')} }`)
    case 'tables':
      return fc
        .array(rows[key] ?? fc.constant('{}'), { maxLength: 3 })
        .map((items) => `[${items.join(', ')}]`)
  }
}

/** The text of a configuration file that sets some keys to anything they may be. */
export const randomFile: fc.Arbitrary<string> = fc
  .subarray([...KEY_NAMES])
  .chain((keys) => fc.tuple(...keys.map((key) => valueOf(key).map((value) => `${key} = ${value}`))))
  .map((lines) => lines.join('\n'))
