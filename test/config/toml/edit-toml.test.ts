import * as fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { editToml, showTable } from '../../../src/config/toml/edit-toml.ts'
import type { TableChange } from '../../../src/config/toml/edit-toml.ts'
import { randomFile } from '../random-file.ts'
import { roundsOf } from '../../harness/long-run.ts'

const CHANGE: TableChange = { name: 'a/b', base_url: null, key_command: ['pass', 'show'] }

async function edit(text: string, change: TableChange = CHANGE): Promise<string> {
  const edited = await editToml(text, 'model', change)
  return edited.ok ? edited.text : `refused: ${edited.why}`
}

describe('a table of a configuration file that is changed in place', () => {
  it.for([
    ['an empty file', '', '[model]\nname = "a/b"\nkey_command = ["pass","show"]\n'],
    [
      'a file without the table',
      '# mine\n[tools]\nmode = "enabled" # yes',
      '# mine\n[tools]\nmode = "enabled" # yes\n\n[model]\nname = "a/b"\nkey_command = ["pass","show"]\n',
    ],
    [
      'the table with old values and comments',
      '[model] # the model\n# first\nname = "old" # why\nbase_url = "http://x"\nidle_seconds = 9\n[tools]\n',
      '[model] # the model\nkey_command = ["pass","show"]\n# first\nname = "a/b" # why\nidle_seconds = 9\n[tools]\n',
    ],
    [
      'a value over several lines',
      '[model]\nkey_command = [\n  "old", # ]\n  "x",\n]\nidle_seconds = 9\n',
      '[model]\nname = "a/b"\nkey_command = ["pass","show"]\nidle_seconds = 9\n',
    ],
    [
      'dotted keys',
      'model.idle_seconds = 9\nmodel.base_url = \'x\'\n\n[tools]\nmode = "enabled"\n',
      'model.name = "a/b"\nmodel.key_command = ["pass","show"]\nmodel.idle_seconds = 9\n\n[tools]\nmode = "enabled"\n',
    ],
    [
      'an inline table',
      'model = { base_url = "x", idle_seconds = 9 } # one row\n',
      'model = { name = "a/b", key_command = ["pass","show"], idle_seconds = 9 } # one row\n',
    ],
    ['an empty inline table', 'model = {}\n', 'model = { name = "a/b", key_command = ["pass","show"] }\n'],
    [
      'tables below it only',
      '[[model.prices]]\nmodel = "*"\ninput = 1\noutput = 1\ncached = 1\n',
      '[[model.prices]]\nmodel = "*"\ninput = 1\noutput = 1\ncached = 1\n\n[model]\nname = "a/b"\nkey_command = ["pass","show"]\n',
    ],
    [
      'line ends of another system',
      '[model]\r\nname = "old"\r\nbase_url = "x"\r\n',
      '[model]\r\nkey_command = ["pass","show"]\r\nname = "a/b"\r\n',
    ],
  ] as const)('%s', async ([, before, after]) => {
    expect(await edit(before)).toBe(after)
  })

  it('a file that is not valid is left alone, with what to write by hand', async () => {
    expect(await edit('[model\nname = ')).toMatch(/^refused: it is not valid TOML/)
    expect(showTable('model', CHANGE)).toBe('[model]\nname = "a/b"\nkey_command = ["pass","show"]')
  })

  it('says the same twice, and nothing else of a file changes', async () => {
    await fc.assert(
      fc.asyncProperty(randomFile, fc.string({ unit: 'binary', maxLength: 20 }), async (text, name) => {
        fc.pre(name.isWellFormed())
        const change: TableChange = { name, context_tokens: null, idle_seconds: 7 }
        const once = await edit(text, change)
        expect(await edit(once, change)).toBe(once)
        const [before, after] = [parse(text), parse(once)]
        const { model: oldModel = {}, ...oldRest } = before
        const { model: newModel = {}, ...newRest } = after
        expect(newRest).toEqual(oldRest)
        const { context_tokens: _gone, ...kept } = oldModel as Readonly<Record<string, unknown>>
        expect(newModel).toEqual({ ...kept, name, idle_seconds: 7 })
      }),
      { numRuns: roundsOf(13, 40) },
    )
  })
})
