import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool, TOP } from '../run-tool.ts'
import { FAMILIES } from './attack-families.ts'
import type { Family } from './attack-families.ts'
import { listParts } from './parts.ts'
import { publishTried, readLaws, readTried } from './record.ts'
import { nameSources } from './sources.ts'
import { describeLaws, renderSweeps, renderTable } from './tables.ts'

/** A test as it is collected: its whole title and its file. */
export interface Collected {
  readonly name: string
  readonly file: string
}

/** A test of which something must get through, or else the tests beside it prove nothing. */
const CONTROL = /(?:^| > )(?:control: |would get at it without )/
/** The same in the tests of faults, elsewhere such a title is about what the product finds. */
const FOUND = /(?:^| > )(?:finds a |catches )/
/** The harness that a file uses to become another user than root. */
const ORDINARY = /harness\/ordinary-user|'ordinary'/

/** Prints what the laboratory has tried into docs/reliability.md, and what is attacked into docs/security.md. */
export function publishLaboratory(): void {
  const parts = listParts()
  publishTried(new Set(parts.map(({ name }) => name)))
  const tried = readTried()
  const sources = new Set(parts.map(({ rooms }) => `\`${nameSources(rooms)}\``))
  const runs = [
    `The sources that were printed with it: ${[...sources].join(', ')}. Of a unit that was tried more than once, the last try counts.`,
    renderTable(parts, tried, ({ rooms }) => nameSources(rooms)),
    describeLaws(readLaws()),
    renderSweeps(tried),
  ].join('\n\n')
  putInto('docs/reliability.md', 'laboratory', runs)
  putInto('docs/security.md', 'attacks', renderFamilies(FAMILIES, collectTests(), readText))
}

function putInto(page: string, part: string, text: string): void {
  writeFileSync(join(TOP, page), replacePart(readText(page), part, text))
}

function readText(path: string): string {
  return readFileSync(join(TOP, path), 'utf8')
}

/** A page with the text between the marks of one of its parts exchanged. */
export function replacePart(page: string, part: string, text: string): string {
  const [begin, end] = [`<!-- ${part}: printed -->`, `<!-- ${part}: end -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`the page has no part ${part}`)
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`
}

/** All tests of the families, without running them. */
function collectTests(): readonly Collected[] {
  const folder = mkdtempSync(join(tmpdir(), 'tongs-collect-'))
  try {
    const list = join(folder, 'tests.json')
    const files = FAMILIES.flatMap((family) => family.files)
    const code = runTool('vitest', ['list', '--no-static-parse', `--json=${list}`, ...files])
    if (code !== 0) throw new Error(`the tests cannot be collected: vitest ended with ${code}`)
    return JSON.parse(readFileSync(list, 'utf8')) as readonly Collected[]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isControl({ name, file }: Collected): boolean {
  return CONTROL.test(name) || (file.includes('/test/faults/') && FOUND.test(name))
}

/** What is attacked as one table, with the number of tests and controls. */
export function renderFamilies(
  families: readonly Family[],
  tests: readonly Collected[],
  read: (file: string) => string,
): string {
  const rows = families.map(({ name, tried, files }) => {
    const own = tests.filter(({ file }) => files.some((one) => file.endsWith(`/${one}`)))
    const controls = own.filter(isControl).length
    const users = files.some((file) => ORDINARY.test(read(file))) ? 'both' : 'the one who runs them'
    const links = files.map((file, at) => `[${at + 1}](../${file})`).join(' ')
    return [name, tried, String(own.length), String(controls), users, links]
  })
  const head = ['What', 'Tried', 'Tests', 'Controls', 'As root and as an ordinary user', 'Where']
  const shape = ['---', '---', '---:', '---:', '---', '---']
  const table = [head, shape, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
  const sum = (at: number): number => rows.reduce((all, row) => all + Number(row[at]), 0)
  return `${sum(2)} tests, ${sum(3)} of them controls.\n\n${table}`
}
