import { describeTighter } from './explain-key.ts'
import { KEY_NAMES, SPECS } from './keys.ts'
import type { Key } from './keys.ts'
import { PRESET_NAMES, PRESETS } from './presets.ts'
import { RULE_EXAMPLE, RULE_TYPES } from './rule-types.ts'
import { showValue } from './show-value.ts'

const INTRODUCTION = `# Configuration

This page is printed from the table of keys in \`src/config\`; change it there.

## Layers

A value can be given in several places. From the weakest to the strongest:

1. built in
2. the profile, \`agent\` or \`strict\`
3. your own file: \`$TONGS_CONFIG\`, else \`tongs/config.toml\` in the XDG config folder
4. the project's file, \`.tongs.toml\`
5. the environment: \`TONGS__TOOLS__READ_FILE__BINARY=refuse\` is \`tools.read_file.binary\`; two underscores separate levels, case does not matter
6. the file named by \`--config\`
7. a preset, \`--preset NAME\`
8. \`--set KEY=VALUE\`, as often as you like; the value is TOML or a bare word
9. a managed file, \`/etc/tongs/managed.toml\`

\`tongs config\` shows every value and where it comes from; \`tongs config explain KEY\` describes one key.
An unknown key, a wrong type or a number out of range is an error that names the file, the line and the column.

A stronger place replaces a value, with two exceptions: \`tools.sandbox.denied_patterns\` and \`tools.environment.denylist\` only grow,
and \`tools.edit.syntax_check\` is merged extension by extension.

## Profiles

\`agent\` suits a person at work; \`strict\` (also called \`srd\`) does nothing that was not asked for.
A profile only chooses defaults, so any value can still be set. \`--profile\` wins over \`profile = "strict"\` in a file.

## Presets

A preset is a named set of values that decides how much may happen without asking. \`tongs config preset\` prints them.
A preset can loosen only \`tools.approval.approved_effects\`; its other values apply only if they are tighter than those in force.
So denials, rules, the managed file and whatever the project's file tightens hold under every preset; \`--set\` overrides it.

PRESETS
## Files that may only tighten

A project's file comes with the project, so its author may be unknown to you. It can only tighten: lower limits, more
denied patterns, rules that restrict. Values that would loosen are left out, with a notice. If you have read the file and want all of it,
\`tongs trust\` accepts it as it is now; any change ends the trust. A file of more than 64 KiB, or with more than 500
entries in its lists, has to be trusted to be used at all. Even a trusted file can neither add gates, which are code, nor choose a
looser profile.

The managed file belongs to the administrator of the machine. It is applied last, and it too can only tighten: if it is looser than the
value in force, that value stays.

The tables below say which way each key gets tighter. For lists, *fewer entries* means that such a file can keep entries but not add any
(compared by name: \`src\` is not an entry of \`["."]\`), and *more entries* that it can add some but not remove any.
Such files cannot set *out of reach* keys at all.
`

const RULES = `
### Rules

${RULE_EXAMPLE}
\`tool\` is a tool's name or \`"*"\`; \`priority\` (0 if absent) says which rule is judged first. The types marked *own files only* allow more
than their absence would, so a file that may only tighten cannot add them.

| Type | Needs | May have | |
|---|---|---|---|
`

/** The text of the page about configuration. */
export function renderConfigurationPage(): string {
  const sections = Map.groupBy(KEY_NAMES, sectionOf)
  const tables = [...sections].toSorted(([first], [second]) => (first < second ? -1 : 1)).map(renderSection)
  const introduction = INTRODUCTION.replace('PRESETS', presetRows().join('\n'))
  return `${introduction}\n## Keys\n${tables.join('')}${RULES}${ruleRows().join('\n')}\n`
}

function presetRows(): readonly string[] {
  const rows = PRESET_NAMES.map((name) => {
    const { says, values } = PRESETS[name]
    const given = Object.entries(values).map(([key, value]) => code(`${key} = ${showValue(value)}`))
    return `- ${code(name)}: ${says} ${given.join(', ')}`
  })
  return [...rows, '']
}

function sectionOf(key: Key): string {
  return key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : ''
}

function renderSection([section, keys]: readonly [string, readonly Key[]]): string {
  const title = section === '' ? 'Top level' : `\`[${section}]\``
  const head = '| Key | Value | `agent` | `strict` | Tighter | Meaning |\n|---|---|---|---|---|---|'
  return `\n### ${title}\n\n${head}\n${keys.map(renderRow).join('\n')}\n`
}

function renderRow(key: Key): string {
  const { kind, agent, strict, unit, description, ids } = SPECS[key]
  const type = unit === null ? kind.expected : `${kind.expected}, ${unit}`
  const meaning = ids.length === 0 ? description : `${description} (${ids.join(', ')})`
  const cells = [
    code(key),
    type,
    code(showValue(agent)),
    code(showValue(strict)),
    describeTighter(key),
    meaning,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function code(text: string): string {
  return `\`${text}\``
}

function ruleRows(): readonly string[] {
  return Object.entries(RULE_TYPES).map(([type, { needs, may, isLoosening }]) => {
    const cells = [code(type), needs.map(code).join(', '), may.map(code).join(', ')]
    return `| ${cells.join(' | ')} | ${isLoosening ? 'own files only' : ''} |`
  })
}
