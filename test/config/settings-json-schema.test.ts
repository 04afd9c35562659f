import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { KEY_NAMES } from '../../src/config/keys.ts'
import { settingsJsonSchema } from '../../src/config/settings-json-schema.ts'
import { load, own } from './load.ts'
import { randomFile } from './random-file.ts'
import { roundsOf } from '../harness/long-run.ts'

const schema = settingsJsonSchema()
const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false })
const validate = ajv.compile(schema)

/** Whether an editor with the schema accepts a file. */
function isAccepted(text: string): boolean {
  return validate(JSON.parse(JSON.stringify(parse(text))))
}

describe('the schema for editors', () => {
  it('is JSON Schema 2020-12 with every key in its section, described and closed', () => {
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema')
    for (const key of KEY_NAMES) {
      let node: unknown = schema
      for (const part of key.split('.')) {
        expect(node).toMatchObject({ type: 'object', additionalProperties: false })
        node = Reflect.get(Object(Reflect.get(Object(node), 'properties')), part)
      }
      expect(node).toHaveProperty('description')
    }
  })

  it('accepts every file that loads', () => {
    fc.assert(
      fc.property(randomFile, (text) => {
        expect(isAccepted(text) || text).toBe(true)
      }),
      { numRuns: roundsOf(20, 100) },
    )
  })

  it.for([
    'profile = "srd"',
    'tools.rules = [{ tool = "a", type = "RequiresConsent", scope = "x" }]',
    'tools.rules = [{ tool = "a", type = "ExclusiveGroups", groups = [["a"]] }]',
  ])('accepts %s, as loading does', async (text) => {
    expect(isAccepted(text)).toBe(true)
    await load(own(text))
  })

  it.for([
    'tools.mod = 1',
    'tools.mode = "on"',
    'tools.output.max_bytes = 0',
    'tools.output.max_bytes = "5"',
    'tools.approval.allowlist = "a"',
    'tools.edit.syntax_check = { el = "x" }',
    'tools.edit.syntax_check = { ".el" = "off" }',
    'tools.rules = [{ tool = "a", type = "MaxCalls" }]',
    'tools.rules = [{ tool = "a", type = "ExitLoop", max = 1 }]',
    'tools.gates = [{ name = "x" }]',
  ])('refuses %s', (text) => {
    expect(isAccepted(text)).toBe(false)
  })
})
