import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApprovalRequest, PermissionAnswer } from '../../../src/core/approval.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { wordFor } from '../../../src/faces/cli/prompts/grant-options.ts'
import { commandsHere, rowsOf } from '../command.ts'
import type { RunCommand } from '../command.ts'
import type { Face } from '../face.ts'
import { labelCalls } from '../label-calls.ts'
import type { Person } from '../person.ts'
import type { Place } from '../place.ts'
import { startTongs } from '../start-tongs.ts'

const SESSION = ['--session', 's'] as const

/** `tongs batch`, and `tongs approve` or `deny` for each question, because there is no terminal to ask on. */
const withCommands = (commandsOf: (place: Place) => RunCommand): Face => ({
  name: 'command line',
  hasBatches: true,
  origin: 'person',
  async open(place, { preset }) {
    const words = [...SESSION, ...(preset === undefined ? [] : ['--preset', preset])]
    const run = commandsOf(place)
    const tongs: RunCommand = (line) => run([...line, ...words])
    return {
      async run(calls, { person, cancel }) {
        const file = join(place.top, 'batch.json')
        writeFileSync(file, JSON.stringify(labelCalls(calls)))
        const line = ['batch', file, '--json']
        // Only a process of its own can be interrupted.
        const end = await (cancel === null ? tongs(line) : startTongs(place, [...line, ...words], cancel))
        const rows = rowsOf(end)
        return end.code === 4 && !person.isLater ? answerAll(tongs, person) : rows
      },
      answer: (person) => answerAll(tongs, person),
      async undo({ last, isTurn }) {
        const choice = isTurn === true ? ['--turn'] : last === undefined ? [] : ['--last', `${last}`]
        await mustEndWell(tongs, ['undo', '--yes', ...choice])
      },
      redo: () => mustEndWell(tongs, ['redo', '--yes']),
      close: async () => undefined,
    }
  },
})

/** Its commands run in this process, where they cost little. */
export const commandLine = withCommands(commandsHere)
/** Each command is a process of `bin/tongs`. */
export const commandLineProcesses = withCommands((place) => (words) => startTongs(place, words))

/** Answers the questions one by one, as they are listed, until the batch has run. */
export async function answerAll(tongs: RunCommand, person: Person): Promise<readonly ToolResult[]> {
  for (;;) {
    const [request] = await listPending(tongs)
    if (request === undefined) throw new Error('nothing is waiting')
    const end = await tongs([...answerWords(request, person.answer(request)), '--json'])
    if (end.code !== 4) return rowsOf(end)
  }
}

export async function listPending(tongs: RunCommand): Promise<readonly ApprovalRequest[]> {
  const { out } = await tongs(['pending', '--json'])
  return (JSON.parse(out) as { readonly approvals: readonly ApprovalRequest[] }).approvals
}

/** The command that gives an answer. */
export function answerWords(request: ApprovalRequest, given: PermissionAnswer): readonly string[] {
  switch (given.answer) {
    case 'deny':
      return ['deny', request.id, ...(given.say === undefined ? [] : ['--say', given.say])]
    case 'once':
      return ['approve', request.id, ...(given.hunks === undefined ? [] : ['--hunks', given.hunks.join(',')])]
    case 'duration':
      return ['approve', request.id, '--for', `${given.seconds}`]
    case 'scope': {
      const word = wordFor(given.scope)
      if (word === null) throw new Error('the command line has no word for that scope')
      return ['approve', request.id, '--scope', word.replaceAll("'", '')]
    }
  }
}

export async function mustEndWell(tongs: RunCommand, words: readonly string[]): Promise<void> {
  const { code, out, err } = await tongs(words)
  if (code !== 0) throw new Error(`tongs ${words.join(' ')}: ${out}${err}`)
}
