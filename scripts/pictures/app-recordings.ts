import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'
import { APPROVAL, COMMAND, FILES, KILLED, MENDING } from './app-story.ts'
import { renderRecording } from './recording-svg.ts'
import type { Shot } from './recording-svg.ts'
import { openTerminal } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const SIZE = { columns: 88, rows: 30 } as const
/** How long a person looks at what is typed, at what happens, and at the end. */
const SECONDS = { typed: 1, seen: 2, read: 3, end: 5 } as const

/** A terminal, and what takes shots of it. */
interface Stage extends Terminal {
  readonly shoot: (pattern: RegExp, seconds: number) => Promise<void>
}

interface Recording {
  readonly name: string
  readonly title: string
  readonly turns: readonly object[]
  readonly play: (stage: Stage) => Promise<void>
}

const RECORDINGS: readonly Recording[] = [
  {
    name: 'app-first-minute',
    title: 'The first minute: words, calls in a row each, a question with its diff, and the tests that pass',
    turns: MENDING,
    async play({ type, press, shoot }) {
      await type('tongs')
      await shoot(/\$ tongs/, SECONDS.typed)
      await press('Enter')
      await shoot(/orders/, SECONDS.seen)
      await type('The total is wrong. Please mend it.')
      await shoot(/Please mend it/, SECONDS.typed)
      await press('Enter')
      await shoot(/sum \+ price/, SECONDS.read)
      await press('o')
      await shoot(/comes to 6 now/, SECONDS.end)
    },
  },
  {
    name: 'app-approval',
    title: 'A question: the change by its hunks, what more there is to know, and a yes to one hunk alone',
    turns: APPROVAL,
    async play({ type, press, shoot }) {
      await type('tongs')
      await press('Enter')
      await shoot(/orders/, SECONDS.typed)
      await type('Call prices amounts.')
      await press('Enter')
      await shoot(/o once/, SECONDS.read)
      await press('?')
      await shoot(/\? less/, SECONDS.end)
      await press('?')
      await shoot(/\? more/, SECONDS.typed)
      await press('s')
      await shoot(/Which hunks/, SECONDS.seen)
      await type('2')
      await shoot(/> 2/, SECONDS.typed)
      await press('Enter')
      await shoot(/order keeps its/, SECONDS.end)
    },
  },
  {
    name: 'app-killed',
    title: 'Killed while a question waits: the app is started again, and the question is still there',
    turns: KILLED,
    async play({ type, press, shoot, kill }) {
      await type('tongs')
      await press('Enter')
      await shoot(/orders/, SECONDS.typed)
      await type('Rename totalOf to sumOf.')
      await press('Enter')
      await shoot(/\+.*sumOf/, SECONDS.read)
      await kill('SIGKILL')
      await shoot(/^\$\s*$/m, SECONDS.read)
      await type('tongs --continue')
      await shoot(/--continue/, SECONDS.typed)
      await press('Enter')
      await shoot(/\/pending shows/, SECONDS.read)
      await type('/pending')
      await press('Enter')
      await shoot(/\+.*sumOf/, SECONDS.read)
      await press('o')
      await shoot(/in three files/, SECONDS.end)
    },
  },
  {
    name: 'app-command',
    title: 'What a command changed is shown before it lands, lands as one edit, and is taken back',
    turns: COMMAND,
    async play({ type, press, shoot }) {
      await type('tongs')
      await press('Enter')
      await shoot(/orders/, SECONDS.typed)
      await type('Call prices amounts.')
      await press('Enter')
      await shoot(/amount/, SECONDS.read)
      await press('o')
      await shoot(/invoice is gone/, SECONDS.read)
      await type('/undo')
      await press('Enter')
      await shoot(/Undo up to which turn/, SECONDS.read)
      await press('Enter')
      await shoot(/Undo this/, SECONDS.read)
      await press('y')
      await shoot(/Undone|Restored|recreated: /i, SECONDS.end)
    },
  },
]

/** Records the app as a person uses it, with a scripted model: name and moving SVG of each. */
export async function takeAppRecordings(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const pictures: Record<string, string> = {}
  for (const recording of RECORDINGS)
    if (names.length === 0 || names.includes(recording.name))
      pictures[recording.name] = await record(recording)
  return pictures
}

async function record({ title, turns, play }: Recording): Promise<string> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tongs-pictures-')))
  const root = join(home, 'orders')
  mkdirSync(root)
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text)
  mkdirSync(join(home, '.config/tongs'), { recursive: true })
  writeFileSync(join(home, 'model.json'), JSON.stringify({ turns }))
  writeFileSync(join(home, '.config/tongs/config.toml'), '[model]\nname = "script:../model.json"\n')
  mkdirSync(join(home, 'bin'))
  symlinkSync(join(TOP, 'bin/tongs'), join(home, 'bin/tongs'))
  const env = {
    HOME: home,
    TONGS_STATE_DIR: join(home, 'state'),
    TERM: 'tmux-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
  }
  // A terminal starts its own shell first, which may set these.
  const path = `${join(home, 'bin')}:${join(TOP, 'node_modules/.bin')}:/usr/bin:/bin`
  const shell = `env PATH='${path}' PS1='$ ' bash --norc --noprofile`
  const terminal = await openTerminal(shell, { ...SIZE, cwd: root, env })
  const shots: Shot[] = []
  const shoot = async (pattern: RegExp, seconds: number): Promise<void> => {
    await terminal.until(pattern)
    shots.push({ frame: await terminal.settled(), seconds })
  }
  try {
    await terminal.until(/^\$/)
    await play({ ...terminal, shoot })
    return renderRecording(shots, { title, columns: SIZE.columns })
  } finally {
    await terminal.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
