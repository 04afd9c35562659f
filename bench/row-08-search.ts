import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findRipgrep } from '../src/host/search/ripgrep.ts'
import { atMost, round, timeInTurns, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

const FOLDERS = 200
const FILES = 100
const LINES = 120
const MOST = 100_000
/** What `search` asks for, in short; without the patterns that are denied. */
const OUR_OPTIONS =
  "--no-config --no-require-git --no-mmap --crlf --heading --null -n -b -o -i -F --iglob='!**/*.pem' --glob='!.git'"

/** Row 8: search, for all results and for the first 200 of a common pattern, against the search program by itself. */
export async function searchRows(): Promise<readonly Row[]> {
  const program = await findRipgrep()
  if (program === null) throw new Error('the search program is not installed')
  const place = makePlace()
  try {
    for (let folder = 0; folder < FOLDERS; folder++) {
      mkdirSync(join(place.root, `d${folder}`))
      for (let file = 0; file < FILES; file++)
        writeFileSync(join(place.root, `d${folder}`, `f${file}.ts`), textOf(folder * FILES + file))
    }
    const runtime = await place.open({
      config: {
        'tools.search.max_results': MOST,
        'tools.output.max_bytes': 1024 ** 3,
        'tools.dedupe_window_seconds': 0,
      },
    })
    const search = (query: string, max_results: number) => async (): Promise<void> => {
      const [result] = await runtime.run([{ id: 's', name: 'search', args: { query, max_results } }])
      if (result?.ok !== true) throw new Error(`the search failed: ${result?.content}`)
    }
    // It stops early where it sees that nobody reads, so somebody does.
    const raw = (query: string) => (): unknown =>
      spawnSync(
        'sh',
        ['-c', `"$0" --no-config --no-require-git -n -F ${query} . | cat >/dev/null`, program],
        {
          cwd: place.root,
          stdio: 'ignore',
        },
      )
    const asOurs = (query: string) => (): unknown =>
      spawnSync('sh', ['-c', `"$0" ${OUR_OPTIONS} ${query} . | cat >/dev/null`, program], {
        cwd: place.root,
        stdio: 'ignore',
      })
    const times = await timeInTurns(
      {
        rawRare: raw('needle'),
        asOurs: asOurs('needle'),
        rare: search('needle', MOST),
        rawCommon: raw('const'),
        common: search('const', 200),
      },
      { rounds: 7, runs: 1 },
    )
    await runtime.close()
    return [
      withLimit(
        atMost('8 search, all results', times.rare, times.rawRare, 'us per search', 1.1),
        `The search program with options like ours (any case, offsets, patterns to leave out) takes ${round(times.asOurs / times.rawRare)} of itself without them. The rest is this process beside it, which opens every file with a match again.`,
      ),
      atMost('8 search, first 200 of a common pattern', times.common, times.rawCommon, 'us per search', 0.05),
    ]
  } finally {
    place.clean()
  }
}

/** Ordinary lines, each with a word that all have, and a rare one in every hundredth file. */
function textOf(number: number): string {
  const lines = Array.from({ length: LINES }, (_, at) => `const value${at} = compute(${number}, ${at * 7})`)
  if (number % 100 === 0) lines[number % LINES] = 'const needle = find()'
  return `${lines.join('\n')}\n`
}
