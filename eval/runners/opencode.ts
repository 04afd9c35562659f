import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPeer } from './install-peer.ts'
import { linesOfJson } from './runner.ts'
import type { Runner } from './runner.ts'

const VERSION = '1.18.33'
/** Its name on npm. */
export const OPENCODE_PACKAGE = 'opencode-ai'

interface Event {
  readonly type: string
  readonly part?: { readonly state?: { readonly status?: string } }
}

/** The coding agent opencode. */
export const opencode: Runner = {
  name: 'opencode',
  prepare: () => {
    installOpencode()
    return VERSION
  },
  configure: ({ home, url, provider, model }) => {
    const folder = join(home, '.config/opencode')
    mkdirSync(folder, { recursive: true })
    const own = {
      npm: '@ai-sdk/openai-compatible',
      name: provider,
      options: { baseURL: url, apiKey: process.env['COMPATIBLE_API_KEY'] ?? 'none' },
      models: { [model]: { name: model, tool_call: true, limit: { context: 200_000, output: 32_000 } } },
    }
    const known = { options: { baseURL: url } }
    const config = {
      autoupdate: false,
      share: 'disabled',
      provider: { [provider]: provider === 'compatible' ? own : known },
    }
    writeFileSync(join(folder, 'opencode.json'), JSON.stringify(config))
  },
  command: ({ provider, model }, prompt, isFirst) => ({
    program: installOpencode(),
    args: [
      'run',
      '--format',
      'json',
      '--auto',
      '--title',
      'eval',
      '--model',
      `${provider}/${model}`,
      ...(isFirst ? [] : ['--continue']),
      prompt,
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
  }),
  tally: (printed) => {
    const calls = linesOfJson<Event>(printed).filter(({ type }) => type === 'tool_use')
    const failed = calls.filter(({ part }) => part?.state?.status === 'error')
    return { calls: calls.length, failed: failed.length, questions: 0 }
  },
}

function installOpencode(): string {
  return installPeer(OPENCODE_PACKAGE, VERSION, `${OPENCODE_PACKAGE}/bin/opencode.exe`)
}
