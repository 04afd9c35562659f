import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPeer } from './install-peer.ts'
import { linesOfJson } from './runner.ts'
import type { Runner } from './runner.ts'

const VERSION = '0.87.1'
/** Its name on npm. */
export const PI_PACKAGE = '@earendil-works/pi-coding-agent'

interface Event {
  readonly type: string
  readonly isError?: boolean
  readonly result?: { readonly content?: readonly { readonly text?: string }[] }
}

/** A command that ran and ended with another code than 0; pi marks it as an error. */
const RAN_AND_FAILED = /Command exited with code \d+/

/** The coding agent pi. */
export const pi: Runner = {
  name: 'pi',
  prepare: () => {
    installPi()
    return VERSION
  },
  configure: ({ home, url, provider, model }) => {
    const folder = join(home, '.pi/agent')
    mkdirSync(folder, { recursive: true })
    const own = {
      baseUrl: url,
      api: 'openai-completions',
      apiKey: 'COMPATIBLE_API_KEY',
      models: [{ id: model, contextWindow: 200_000 }],
    }
    // Anthropic's own client adds the version to the path by itself.
    const known = { baseUrl: provider === 'anthropic' ? url.replace(/\/v1$/, '') : url }
    const providers = { [provider]: provider === 'compatible' ? own : known }
    writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers }))
  },
  command: ({ provider, model }, prompt, isFirst) => ({
    program: process.execPath,
    args: [
      installPi(),
      '--mode',
      'json',
      '--print',
      '--offline',
      '--provider',
      provider,
      '--model',
      model,
      ...(isFirst ? [] : ['--continue']),
      prompt,
    ],
    env: {
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      COMPATIBLE_API_KEY: process.env['COMPATIBLE_API_KEY'] ?? 'none',
    },
  }),
  tally: (printed) => {
    const ends = linesOfJson<Event>(printed).filter(({ type }) => type === 'tool_execution_end')
    const failed = ends.filter(
      ({ isError, result }) =>
        isError === true && !RAN_AND_FAILED.test(result?.content?.map(({ text }) => text).join('') ?? ''),
    )
    return { calls: ends.length, failed: failed.length, questions: 0 }
  },
}

function installPi(): string {
  return installPeer(PI_PACKAGE, VERSION, `${PI_PACKAGE}/dist/bundle/cli.js`)
}
