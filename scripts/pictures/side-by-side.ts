import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { APPS, openingLine, terminalEnv } from '../../eval/runners/apps.ts'
import type { App, NamedCall } from '../../eval/runners/apps.ts'
import type { Place } from '../../eval/runners/runner.ts'
import { serve } from '../../eval/server/serve.ts'
import type { Answer } from '../../eval/server/chat.ts'
import { FILES } from './app-story.ts'
import { renderFrame } from './frame-svg.ts'
import { openTerminal } from './terminal.ts'

/** The folder of the pictures. */
export const SIDE_BY_SIDE = 'side-by-side'
const SIZE = { columns: 88, rows: 34 } as const
const MOMENTS = ['start', 'read', 'edit', 'command', 'failure', 'end'] as const
const PROMPT = 'The total is wrong. Please mend it.'

/** An app of which pictures are taken: when it asks, what its question shows, and the key that says yes. */
interface Peer {
  readonly app: App
  readonly asks: readonly string[]
  readonly question: RegExp
  readonly yes: string
  /** More of its configuration. */
  readonly configure?: (place: Place) => void
}

const STEPS = ['read', 'edit', 'test', 'fail'] as const
const [OLD, NEW] = ['sum - price', 'sum + price']

/** What the model asks for at a step. */
function callOf(app: App, step: (typeof STEPS)[number]): NamedCall {
  if (step === 'read') return app.read('total.js')
  if (step === 'edit') return app.edit('total.js', OLD, NEW)
  return step === 'test'
    ? app.command('node --test', 'Run the tests')
    : app.command('cat prices.csv', 'Read the prices')
}

const PEERS: Readonly<Record<string, Peer>> = {
  tongs: { app: APPS.tongs, asks: ['edit'], question: /o once/, yes: 'o' },
  pi: { app: APPS.pi, asks: [], question: /^/, yes: '' },
  opencode: {
    app: APPS.opencode,
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

/** Plays the same work in each app, or in those named, and takes a picture of each of six moments. */
export async function takeSideBySide(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const pictures: Record<string, string> = {}
  for (const [name, peer] of Object.entries(PEERS)) {
    if (!names.includes(SIDE_BY_SIDE) && !names.includes(`${SIDE_BY_SIDE}/${name}`)) continue
    const version = peer.app.runner.prepare()
    for (const [moment, frame] of Object.entries(await play(peer)))
      pictures[`${SIDE_BY_SIDE}/${name}-${moment}`] = renderFrame(frame, {
        title: `${name} ${version}: ${moment}`,
        columns: SIZE.columns,
      })
  }
  return pictures
}

/** The answers of the model, each of them held back until it is let go. */
function createStory(app: App) {
  const steps = STEPS.map((step, at): Answer => {
    const [name, args] = callOf(app, step)
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
  const story = createStory(peer.app)
  const server = await serve({ kind: 'source', source: story.source }, () => true)
  const place: Place = { root, home, url: server.url, provider: 'compatible', model: 'eval' }
  peer.app.runner.configure(place)
  peer.configure?.(place)
  const terminal = await openTerminal(openingLine(peer.app, place), {
    ...SIZE,
    cwd: root,
    env: terminalEnv(place),
  })
  const frames: Record<string, string> = {}
  const take = async (moment: (typeof MOMENTS)[number]): Promise<void> => {
    frames[moment] = (await terminal.settled()).replaceAll(home, '~')
  }
  try {
    await terminal.until(peer.app.isOpen)
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
