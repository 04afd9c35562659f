import type { McpServer } from '@agentclientprotocol/sdk'
import type { Settings } from '../../../config/keys.ts'
import type { ServerSetting } from '../../../config/kinds/servers-kind.ts'
import { sanitise } from '../../../core/text/display/sanitise.ts'
import { confinementOf } from '../../../servers/server-confinement.ts'
import { describeServer } from '../../../servers/show-definition.ts'
import type { ShownServer } from '../../../servers/show-definition.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { spellOut } from '../../../terminal/spell-out.ts'
import { literal, verbatim } from './verbatim.ts'

/** A word that cannot be taken for several, or for part of another. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/

/** What starting a server that a client handed over means, by the entry as it would be used. */
export function showEntry(server: McpServer, setting: ServerSetting, settings: Settings): string {
  if (!('command' in server)) {
    const names = 'headers' in server ? server.headers.map(({ name }) => name) : []
    const url = 'url' in server ? server.url : ''
    return [
      verbatim([quoteWord(url)]),
      ...(names.length === 0 ? [] : [`Headers:\n${verbatim(names.map(quoteWord))}`]),
    ].join('\n\n')
  }
  const { label, isUsual } = confinementOf(setting, settings)
  const variables = server.env.map(({ name, value }) => quoteWord(`${name}=${value}`))
  return [
    verbatim([[server.command, ...server.args].map(quoteRunning).join(' ')]),
    ...(variables.length === 0 ? [] : [`Variables:\n${verbatim(variables)}`]),
    ...(isUsual
      ? [
          ...(setting.read.length === 0 ? [] : [`It may read:\n${verbatim(setting.read.map(quoteWord))}`]),
          'It runs in the sandbox for commands, and may not write.',
        ]
      : [
          `sandbox: ${literal(label ?? '')}\n\nNothing of Tongs confines it: it can read, change and send whatever you can.`,
        ]),
  ].join('\n\n')
}

/** All that a server offers, or what changed of it, as it is told to a model; nothing is left out. */
export function showTools(inspection: ShownServer): string {
  const { diff, tools, ends } = describeServer(inspection)
  const lines = [
    ...(diff === '' ? [] : diff.replace(/\n$/, '').split('\n').map(shownDiffLine)),
    ...tools.flatMap(({ name, lines: said }) => [name, ...said.map((line) => `    ${shownLine(line)}`)]),
  ]
  return verbatim([...lines, ...ends.flatMap((end) => ['', shownLine(end)])])
}

/** A line of a server: what does not show is spelled out, and no run of blanks moves the rest out of sight. */
function shownLine(line: string): string {
  return sanitise(line, { oneLine: true, showSequences: true })
}

/** The indentation of a schema stays; it is too short to hide anything. */
function shownDiffLine(line: string): string {
  const [start = ''] = /^[ +-]? {0,20}/.exec(line) ?? []
  return start + shownLine(line.slice(start.length))
}

function quoteWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : spellOut(oneLine(JSON.stringify(word)))
}

/** What runs is shown whatever it looks like: nobody can tell a value in it from a name. */
function quoteRunning(word: string): string {
  const quoted = JSON.stringify(word)
  return PLAIN_WORD.test(word) ? word : spellOut(oneLine(quoted, [quoted]))
}
