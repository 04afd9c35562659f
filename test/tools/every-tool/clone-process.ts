/** Opens clones with odd files in random places, as root or as somebody else, and prints what did not answer as JSON. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { chooserFrom } from '../../harness/long-run.ts'
import { ODD_FILES, putOdd } from '../../harness/odd-files.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

const NAMES = [
  '.gitignore',
  '.ignore',
  'sub/.gitignore',
  '.git/info/exclude',
  '.git/HEAD',
  '.git/config',
  '.git/index',
  '.git/commondir',
  'package.json',
  'pyproject.toml',
  'go.mod',
  'AGENTS.md',
  'CLAUDE.md',
]
const CALLS = [
  { id: '1', name: 'list_files', args: {} },
  { id: '2', name: 'search', args: { query: 'needle' } },
  { id: '3', name: 'run_tests', args: {} },
  { id: '4', name: 'write_file', args: { path: 'new.txt', content: 'x' } },
]
const SLOW_MS = 30_000
const MOST_BYTES = 1024 ** 3
const NAIVE_MS = 2_000

const [, , how = '', seed = '1', count = '1'] = process.argv
if (how !== 'root') becomeOrdinary()
const choose = chooserFrom(Number(seed))
const top = realpathSync(mkdtempSync(join(tmpdir(), 'tongs-clone-')))
const kinds = Object.keys(ODD_FILES)
const broken: string[] = []

async function open(root: string, odd: readonly string[]): Promise<void> {
  const runtime = await createRuntime({
    root,
    stateDir: join(dirname(root), 'state'),
    durability: 'memory',
    approve: (requests) => requests.map(() => 'once' as const),
    config: { 'tools.git.timeout_seconds': 1 },
  })
  for (const call of CALLS) {
    const startedMs = performance.now()
    const [result] = await runtime.run([call])
    const tookMs = performance.now() - startedMs
    const isCrash = result === undefined || (!result.ok && result.error.code === 'crashed')
    if (isCrash || tookMs > SLOW_MS)
      broken.push(`${call.name} took ${Math.round(tookMs)} ms: ${odd.join(', ')}`)
  }
  await runtime.close()
}

/** Reads every file as a careless program would. */
function readNaively(root: string, odd: readonly string[]): void {
  for (const name of NAMES) {
    const { error } = spawnSync('head', ['-c', '2000000000', join(root, name)], {
      timeout: NAIVE_MS,
      stdio: 'ignore',
    })
    if (error !== undefined) broken.push(`${name} was not read in time: ${odd.join(', ')}`)
  }
}

try {
  for (let round = 0; round < Number(count); round++) {
    const root = join(top, String(round), 'root')
    mkdirSync(join(root, 'sub'), { recursive: true })
    writeFileSync(join(root, 'a.txt'), 'needle')
    const odd = NAMES.flatMap((name) => {
      if (choose(2) === 0) return []
      const kind = kinds[choose(kinds.length)] ?? ''
      putOdd(join(root, name), kind)
      return [`${name} is ${kind}`]
    })
    if (how === 'control') readNaively(root, odd)
    else await open(root, odd)
    rmSync(join(top, String(round)), { recursive: true, force: true })
  }
} finally {
  rmSync(top, { recursive: true, force: true })
}
const { maxRSS } = process.resourceUsage()
if (maxRSS * 1024 > MOST_BYTES) broken.push(`it took ${maxRSS} kB of memory`)
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), broken }))
