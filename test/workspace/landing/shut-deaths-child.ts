import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { loadSettings } from '../../../src/config/load-settings.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { FileChange, FileState } from '../../../src/journal/entries/entry.ts'
import { openWorkspace } from '../../../src/workspace/open-workspace.ts'
import { liveUntil } from '../../harness/faults/mortal.ts'
import { compareFiles, describeFiles } from '../../harness/layers/describe-files.ts'
import type { Files } from '../../harness/layers/describe-files.ts'
import { openAll } from '../../harness/layers/open-all.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

/**
 * Lands changes in folders that their owner may not write to, dies at each step in turn, and goes on in either direction,
 * or after somebody changed a file; prints how often it died and what is not as it should be as JSON.
 */
const [top = ''] = process.argv.slice(2)
becomeOrdinary()
const loaded = await loadSettings({ env: {}, set: [], given: {} })
if (!loaded.ok) throw new Error('the default settings must be good')
const { settings } = loaded

const SHUT = 0o555
const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
const sha = (text: string): string => createHash('sha256').update(text).digest('hex')
const file = (content: string, held: string): FileState => ({
  digest: sha(content),
  mode: 0o644,
  ...owner,
  held: `call/0/${held}`,
})
const folder = (mode: number): FileState => ({ kind: 'folder', digest: sha(''), mode, ...owner })

/** `same` was and is read-only, `closed` was not; what lies in the first of `before` and `after` is there then. */
function changesIn(root: string): readonly FileChange[] {
  const rows: readonly (readonly [path: string, before: FileState | null, after: FileState | null])[] = [
    ['closed', folder(0o755), folder(SHUT)],
    ['closed/changed', file('old', 'old/1'), file('new', 'upper/closed/changed')],
    ['closed/made', null, file('made', 'upper/closed/made')],
    ['same', folder(SHUT), folder(SHUT)],
    ['same/changed', file('old', 'old/4'), file('new', 'upper/same/changed')],
    ['same/gone', file('gone', 'old/5'), null],
    ['same/in', folder(SHUT), folder(SHUT)],
    ['same/in/made', null, file('made', 'upper/same/in/made')],
  ]
  return rows.map(([path, before, after]) => ({ root, path, before, after, folders: [] }))
}

let count = 0
/** A workspace in which nothing has landed, and the layer of a command. */
function makeWorld(): { readonly root: string; readonly place: string } {
  const base = join(top, `${++count}`)
  const [root, place] = [join(base, 'root'), join(base, 'layers')]
  const [upper, old] = [join(place, 'call/0/upper'), join(place, 'call/0/old')]
  for (const path of [
    join(root, 'closed'),
    join(root, 'same/in'),
    join(upper, 'closed'),
    join(upper, 'same/in'),
    old,
  ])
    fs.mkdirSync(path, { recursive: true, mode: 0o755 })
  fs.chmodSync(place, 0o700)
  for (const { path, before, after } of changesIn(root)) {
    if (before?.held !== undefined) write(join(root, path), path.endsWith('gone') ? 'gone' : 'old')
    if (after?.held !== undefined) write(join(place, after.held), path.endsWith('made') ? 'made' : 'new')
  }
  for (const path of ['same/in', 'same']) fs.chmodSync(join(root, path), SHUT)
  for (const path of ['same/in', 'same', 'closed']) fs.chmodSync(join(upper, path), SHUT)
  return { root, place }
}

function write(path: string, content: string): void {
  fs.writeFileSync(path, content, { mode: 0o644 })
  fs.utimesSync(path, 1, 1)
}

function remove({ root }: World): void {
  openAll(join(root, '..'))
  fs.rmSync(join(root, '..'), { recursive: true, force: true })
}

type World = ReturnType<typeof makeWorld>

function land({ root, place }: World, changes: readonly FileChange[]): unknown {
  const folders = { backupFolder: join(top, 'backups'), outputFolder: join(top, 'outputs') }
  const workspace = openWorkspace({
    root,
    settings,
    clock: systemClock,
    ...folders,
    layerPlacesOf: () => [place],
  })
  const landing = workspace.land('call', changes, () => null)
  workspace.close()
  return landing
}

const reverse = (changes: readonly FileChange[]): readonly FileChange[] =>
  changes.map((change) => ({ ...change, before: change.after, after: change.before }))

const broken: string[] = []
function compare(where: string, expected: Files, { root }: World, landing: unknown): void {
  const differences = compareFiles(expected, describeFiles(root))
  if (differences.length > 0) broken.push(`${where}: ${JSON.stringify(landing)} ${differences.join(', ')}`)
}

/** What the workspace looks like before and after. */
const first = makeWorld()
const [start, end] = [
  describeFiles(first.root),
  (land(first, changesIn(first.root)), describeFiles(first.root)),
]

async function dieAt(step: number, isBack: boolean, world: World): Promise<string | null> {
  const changes = changesIn(world.root)
  if (isBack) land(world, changes)
  const body = async (): Promise<void> => void land(world, isBack ? reverse(changes) : changes)
  const { diedAt } = await liveUntil(
    (_step, number) => number === step,
    () => undefined,
    body,
  )
  return diedAt?.name ?? null
}

const deaths = [0, 0]
for (const isBack of [false, true])
  for (let step = 1; ; step++) {
    const [from, to] = isBack ? [end, start] : [start, end]
    let diedAt: string | null = null
    for (const goesOn of [true, false]) {
      const world = makeWorld()
      diedAt = await dieAt(step, isBack, world)
      const meant = isBack ? reverse(changesIn(world.root)) : changesIn(world.root)
      const landing = land(world, goesOn ? meant : reverse(meant))
      compare(
        `${goesOn ? 'on' : 'back'} after ${diedAt ?? 'the end'} ${step}`,
        goesOn ? to : from,
        world,
        landing,
      )
      remove(world)
    }
    const world = makeWorld()
    await dieAt(step, isBack, world)
    write(join(world.root, 'same/changed'), 'by somebody else')
    land(world, isBack ? reverse(changesIn(world.root)) : changesIn(world.root))
    const modes = ['same', 'same/in'].map((path) => fs.statSync(join(world.root, path)).mode & 0o777)
    remove(world)
    if (modes.some((mode) => mode !== SHUT)) broken.push(`drifted at ${step}: ${modes.join(' ')}`)
    if (diedAt === null) break
    deaths[isBack ? 1 : 0] = step
  }
remove(first)
process.stdout.write(JSON.stringify({ start: start.size, end: end.size, deaths, broken }))
