import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { opencode } from '../../eval/runners/opencode.ts'
import { pi } from '../../eval/runners/pi.ts'
import type { Place, Runner } from '../../eval/runners/runner.ts'
import { tongs } from '../../eval/runners/tongs.ts'
import { serve } from '../../eval/server/serve.ts'
import type { Answer } from '../../eval/server/chat.ts'
import { TOP } from '../run-tool.ts'
import { FILES } from './app-story.ts'
import { renderFrame } from './frame-svg.ts'
import { openTerminal } from './terminal.ts'

/** The folder of the pictures. */
export const SIDE_BY_SIDE = 'side-by-side'
const SIZE = { columns: 88, rows: 34 } as const
const MOMENTS = ['start', 'read', 'edit', 'command', 'failure', 'end'] as const
const PROMPT = 'The total is wrong. Please mend it.'

/** A peer: how its app is opened, what its tools are called, and what its questions are answered with. */
interface Peer {
  readonly runner: Runner
  readonly open: (place: Place) => string
  readonly isOpen: RegExp
  readonly call: (step: 'read' | 'edit' | 'test' | 'fail') => readonly [name: string, args: object]
  /** When it asks, what its question shows, and the key that says yes. */
  readonly asks: readonly string[]
  readonly question: RegExp
  readonly yes: string
  /** More of its configuration. */
  readonly configure?: (place: Place) => void
}

const COMMANDS = { test: 'node --test', fail: 'cat prices.csv' } as const
const [OLD, NEW] = ['sum - price', 'sum + price']

const PEERS: Readonly<Record<string, Peer>> = {
  tongs: {
    runner: tongs,
    open: ({ url }) =>
      `'${join(TOP, 'bin/tongs')}' --model compatible/eval --base-url ${url} --set model.context_tokens=200000`,
    isOpen: /Type a prompt/,
    call: (step) => {
      if (step === 'read') return ['read_file', { path: 'total.js' }]
      if (step === 'edit') return ['edit_file', { path: 'total.js', old: OLD, new: NEW }]
      return ['run_shell', { cmd: ['sh', '-c', COMMANDS[step]] }]
    },
    asks: ['edit'],
    question: /o once/,
    yes: 'o',
  },
  pi: {
    runner: pi,
    open: () =>
      `'${process.execPath}' '${pi.command(NOWHERE, '', true).args[0] ?? ''}' --offline --provider compatible --model eval`,
    isOpen: /eval/,
    call: (step) => {
      if (step === 'read') return ['read', { path: 'total.js' }]
      if (step === 'edit') return ['edit', { path: 'total.js', edits: [{ oldText: OLD, newText: NEW }] }]
      return ['bash', { command: COMMANDS[step] }]
    },
    asks: [],
    question: /^/,
    yes: '',
  },
  opencode: {
    runner: opencode,
    open: () => `'${opencode.command(NOWHERE, '', true).program}' --model compatible/eval`,
    isOpen: /Ask anything|eval/,
    call: (step) => {
      if (step === 'read') return ['read', { filePath: 'total.js' }]
      if (step === 'edit') return ['edit', { filePath: 'total.js', oldString: OLD, newString: NEW }]
      return [
        'bash',
        { command: COMMANDS[step], description: step === 'test' ? 'Run the tests' : 'Read the prices' },
      ]
    },
    asks: ['edit', 'command', 'failure'],
    question: /Allow once/,
    yes: 'Enter',
    // By default it asks nothing either; as its manual shows for those who want to be asked.
    configure: ({ home }) => {
      const file = join(home, '.config/opencode/opencode.json')
      const config = JSON.parse(readFileSync(file, 'utf8')) as object
      writeFileSync(file, JSON.stringify({ ...config, permission: { edit: 'ask', bash: 'ask' } }))
    },
  },
}

const NOWHERE: Place = { root: '', home: '', url: '', provider: 'compatible', model: 'eval' }

/** Plays the same work in each app, or in those named, and takes a picture of each of six moments. */
export async function takeSideBySide(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const pictures: Record<string, string> = {}
  for (const [name, peer] of Object.entries(PEERS)) {
    if (!names.includes(SIDE_BY_SIDE) && !names.includes(`${SIDE_BY_SIDE}/${name}`)) continue
    const version = peer.runner.prepare()
    for (const [moment, frame] of Object.entries(await play(peer)))
      pictures[`${SIDE_BY_SIDE}/${name}-${moment}`] = renderFrame(frame, {
        title: `${name} ${version}: ${moment}`,
        columns: SIZE.columns,
      })
  }
  return pictures
}

/** The answers of the model, each of them held back until it is let go. */
function createStory(peer: Peer) {
  const steps = (['read', 'edit', 'test', 'fail'] as const).map((step, at): Answer => {
    const [name, args] = peer.call(step)
    return { text: SAYS[at] ?? '', calls: [{ id: `c${at}`, name, args: JSON.stringify(args) }] }
  })
  const answers: readonly Answer[] = [...steps, { text: SAYS[4] ?? '', calls: [] }]
  const asked = answers.map(() => Promise.withResolvers<void>())
  const released = answers.map(() => Promise.withResolvers<void>())
  return {
    source: async (body: string): Promise<Answer> => {
      const { tools, messages } = JSON.parse(body) as {
        readonly tools?: readonly unknown[]
        readonly messages: readonly { readonly role: string }[]
      }
      if (tools === undefined || tools.length === 0) return { text: 'Wrong total', calls: [] }
      const at = messages.filter(({ role }) => role === 'tool').length
      asked[at]?.resolve()
      await released[at]?.promise
      return answers[at] ?? { text: '', calls: [] }
    },
    /** Lets go of an answer. */
    release: (at: number): void => released[at]?.resolve(),
    /** Resolves when the model was asked for an answer. */
    asked: async (at: number): Promise<void> => asked[at]?.promise,
  }
}

const SAYS = [
  'I look where the total is made.',
  'It subtracts where it should add.',
  'Now the tests.',
  'And the prices.',
  'The total adds up now. There is no list of prices.',
] as const

async function play(peer: Peer): Promise<Readonly<Record<string, string>>> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tongs-peers-')))
  const root = join(home, 'orders')
  mkdirSync(root)
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text)
  const story = createStory(peer)
  const server = await serve({ kind: 'source', source: story.source }, () => true)
  const place: Place = { root, home, url: server.url, provider: 'compatible', model: 'eval' }
  peer.runner.configure(place)
  peer.configure?.(place)
  const { env } = peer.runner.command(place, '', true)
  const shell = `env ${Object.entries(env)
    .map(([key, value]) => `${key}='${value}'`)
    .join(
      ' ',
    )} COMPATIBLE_API_KEY=none PATH='${join(TOP, 'node_modules/.bin')}:/usr/bin:/bin' ${peer.open(place)}`
  const terminal = await openTerminal(shell, {
    ...SIZE,
    cwd: root,
    env: {
      HOME: home,
      TONGS_STATE_DIR: join(home, 'state'),
      TERM: 'tmux-256color',
      COLORTERM: 'truecolor',
      LANG: 'C.UTF-8',
    },
  })
  const frames: Record<string, string> = {}
  const take = async (moment: (typeof MOMENTS)[number]): Promise<void> => {
    frames[moment] = (await terminal.settled()).replaceAll(home, '~')
  }
  try {
    await terminal.until(peer.isOpen)
    await take('start')
    await terminal.type(PROMPT)
    await terminal.settled()
    await terminal.press('Enter')
    await story.asked(0)
    for (const [at, moment] of (['read', 'edit', 'command', 'failure'] as const).entries()) {
      story.release(at)
      if (peer.asks.includes(moment)) {
        await terminal.until(peer.question)
        if (moment === 'edit') await take(moment)
        await terminal.settled()
        await terminal.press(peer.yes)
      }
      await story.asked(at + 1)
      if (!(moment in frames)) await take(moment)
    }
    story.release(4)
    await terminal.until(/no list of prices/)
    await take('end')
    return frames
  } finally {
    await terminal.close()
    server.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
