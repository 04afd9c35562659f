import { explainKey } from '../../../config/explain-key.ts'
import { KEY_NAMES } from '../../../config/keys.ts'
import { isPresetName, PRESET_NAMES, PRESETS } from '../../../config/presets.ts'
import { settingsJsonSchema } from '../../../config/settings-json-schema.ts'
import { printedValue } from '../../../config/show-value.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import { DIALECT } from '../../../schema/schema.ts'
import type { ParsedLine } from '../arguments.ts'
import { configure } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

/** `tongs config [explain KEY|preset [NAME]|schema [--events]]`: effective values and where each comes from. */
export async function config(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [verb, key] = line.words
  if (line.has('--events') && verb !== 'schema')
    throw new UsageError('only config schema takes --events', 'try config schema --events')
  if (verb === 'schema') {
    const schema = line.has('--events') ? await loadEventsSchema() : settingsJsonSchema()
    terminal.print(JSON.stringify(schema, null, 2))
    return 0
  }
  if (verb === 'preset') return showPresets(key, line, terminal)
  if (verb !== undefined && verb !== 'explain')
    throw new UsageError(
      `unknown config command ${JSON.stringify(verb)}`,
      'try config, config explain KEY, config preset or config schema',
    )
  if (verb === 'explain' && key === undefined)
    throw new UsageError('config explain needs a key', 'try config explain tools.mode')
  const loaded = await configure(line, terminal)
  if (key === undefined) {
    const rows = KEY_NAMES.map((name) => ({
      key: name,
      value: printedValue(name, loaded.settings[name]),
      from: loaded.origin[name],
    }))
    if (line.has('--json')) terminal.json(rows)
    else
      for (const row of rows)
        terminal.print(safe(`${row.key} = ${JSON.stringify(row.value)}  ${terminalFrom(row.from)}`))
    return 0
  }
  const explained = explainKey(loaded, key)
  if (!explained.ok) throw new UsageError(explained.message, explained.hint)
  const { ok: _ok, ...facts } = explained
  if (line.has('--json')) terminal.json(facts)
  else {
    terminal.print(safe(`${facts.key} = ${JSON.stringify(facts.value)}`))
    terminal.say(safe(`  from      ${facts.from}`), ' '.repeat(10))
    terminal.say(safe(`  meaning   ${facts.sentence}`), ' '.repeat(10))
    terminal.print(safe(`  type      ${facts.type}${facts.unit === null ? '' : ` (${facts.unit})`}`))
    terminal.print(
      safe(
        `  default   agent ${JSON.stringify(facts.default.agent)}, strict ${JSON.stringify(facts.default.strict)}`,
      ),
    )
    terminal.print(safe(`  tighter   ${facts.tighter}`))
  }
  return 0
}

/** Loaded on demand, because other commands have no use for it. */
async function loadEventsSchema(): Promise<JsonObject> {
  const { eventsJsonSchema } = await import('../../../agent/events-schema.ts')
  return { $schema: DIALECT, ...eventsJsonSchema() }
}

function showPresets(name: string | undefined, line: ParsedLine, terminal: Terminal): number {
  if (name !== undefined && !isPresetName(name))
    throw new UsageError(
      `there is no preset ${JSON.stringify(name.slice(0, 40))}`,
      `there are ${PRESET_NAMES.join(', ')}`,
    )
  const chosen = PRESET_NAMES.filter((known) => name === undefined || known === name)
  const shown = chosen.map((preset) => ({ name: preset, ...PRESETS[preset] }))
  if (line.has('--json')) terminal.json(name === undefined ? shown : shown[0])
  else
    for (const preset of shown) {
      terminal.print(`${terminal.paint('bold', preset.name)}  ${preset.says}`)
      for (const [key, value] of Object.entries(preset.values))
        terminal.print(safe(`  ${key} = ${JSON.stringify(value)}`))
    }
  return 0
}

function terminalFrom(from: string): string {
  return `(${from})`
}
