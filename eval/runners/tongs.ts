import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../../scripts/run-tool.ts'
import { linesOfJson } from './runner.ts'
import type { Runner } from './runner.ts'

interface Event {
  readonly event: string
  readonly id?: string
  readonly ok?: boolean
  readonly error?: { readonly code: string }
}

/** Codes of calls that were stopped from outside, which says nothing about the call. */
const STOPPED = new Set(['cancelled', 'skipped', 'interrupted'])

/** The id of a call that reads a file for the user, because the prompt names it. */
const OF_USER = /^attached-\d+$/

/** Tongs as it lies here, with its defaults and the preset that asks least. */
export const tongs: Runner = {
  name: 'tongs',
  prepare: () =>
    (JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8')) as { readonly version: string }).version,
  configure: () => {},
  command: ({ root, url, provider, model }, prompt, isFirst) => ({
    program: process.execPath,
    args: [
      join(TOP, 'bin/tongs.cjs'),
      'run',
      prompt,
      ...(isFirst ? [] : ['--continue']),
      '--root',
      root,
      '--model',
      `${provider}/${model}`,
      '--base-url',
      url,
      '--json',
      '--yes',
      '--preset',
      'auto',
    ],
    env: {},
  }),
  tally: (printed) => {
    const events = linesOfJson<Event>(printed).filter(({ id = '' }) => !OF_USER.test(id))
    const failures = events.filter(({ event, ok }) => event === 'result' && ok === false)
    return {
      calls: events.filter(({ event }) => event === 'call').length,
      failed: failures.filter(({ error }) => !STOPPED.has(error?.code ?? '')).length,
      questions: events.filter(({ event }) => event === 'approval').length,
    }
  },
}
