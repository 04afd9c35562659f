import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { COMMANDS } from '../../src/faces/cli/command-table.ts'
import { GATES } from '../../src/policy/gates/gates.ts'
import { builtInTools } from '../../src/tools/built-in.ts'

const PAGES = globSync(['*.md', 'docs/**/*.md'], { cwd: TOP }).toSorted()
const readme = readFileSync(join(TOP, 'README.md'), 'utf8')

function blocksOf(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  )
}

/** The places a page points to in this project. */
function linksOf(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
}

function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** Runs a script that knows the library by its name, in a folder with these files. */
function runAlone(script: string, files: Readonly<Record<string, string>> = {}) {
  const box = mkdtempSync(join(tmpdir(), 'tongs-example-'))
  onTestFinished(() => rmSync(box, { recursive: true }))
  const doors = { "'tongs'": 'src/index.ts', "'tongs/agent'": 'src/agent.ts' }
  const text = Object.entries(doors).reduce(
    (so, [name, file]) => so.replace(name, `'${pathToFileURL(join(TOP, file)).href}'`),
    script,
  )
  writeFileSync(join(box, 'example.mts'), text)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(box, name), content)
  return spawnSync(process.execPath, ['example.mts'], { cwd: box, encoding: 'utf8' })
}

describe('the documents', () => {
  it.for(PAGES)('%s points only to what is there', (page) => {
    for (const link of linksOf(readFileSync(join(TOP, page), 'utf8'))) {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? join(TOP, page) : join(TOP, dirname(page), file)
      expect(existsSync(target), `${page} points to ${link}`).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(readFileSync(target, 'utf8')), link).toContain(anchor)
    }
  })

  it('a decision has a number of its own and 10 to 30 lines', () => {
    const records = PAGES.filter((page) => page.startsWith('docs/decisions/'))
    expect(records.map((page) => /\/(\d{4})-[a-z0-9-]+\.md$/.exec(page)?.[1])).toEqual(
      records.map((_, index) => String(index + 1).padStart(4, '0')),
    )
    const lengths = records.map((page) => readFileSync(join(TOP, page), 'utf8').trimEnd().split('\n').length)
    expect(lengths.filter((lines) => lines < 10 || lines > 30)).toEqual([])
  })

  it('the page about the corridor lists the gates in the order they are asked in', () => {
    const page = readFileSync(join(TOP, 'docs/pipeline.md'), 'utf8')
    const [, section = ''] = /^## The gates$(.*?)^## /ms.exec(page) ?? []
    const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
    expect(listed).toEqual(GATES.map(({ name }) => name))
  })

  it('the page about the corridor knows every room, and no other', () => {
    const page = readFileSync(join(TOP, 'docs/pipeline.md'), 'utf8')
    const [, section = ''] = /^## Rooms$(.*)/ms.exec(page) ?? []
    const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
    const rooms = readdirSync(join(TOP, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    expect(listed.toSorted()).toEqual(rooms.map(({ name }) => name).toSorted())
  })
})

describe('the page about the audit trail', () => {
  it('tells of every field of an event', () => {
    const page = readFileSync(join(TOP, 'docs/audit.md'), 'utf8')
    const source = readFileSync(join(TOP, 'src/journal/folds/audit.ts'), 'utf8')
    const [, fields = ''] = /^export interface AuditEvent \{$(.*?)^\}$/ms.exec(source) ?? []
    const names = [...fields.matchAll(/^  readonly (\w+)\??:/gm)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(10)
    const told = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
    expect(told).toEqual(expect.arrayContaining(names))
  })
})

describe('the examples', () => {
  it('approvals: a yes, a no, and a question that is answered later by another runtime', () => {
    const end = runAlone(readFileSync(join(TOP, 'examples/approvals.mjs'), 'utf8'))
    expect(end).toMatchObject({ status: 0, stderr: '' })
    const outcomes = end.stdout.split('\n').filter((line) => !line.startsWith('May this run?'))
    expect(outcomes).toEqual([
      'write_file ok',
      'delete_path approval_denied: Denied by the user: nothing is deleted here',
      'write_file approval_required: Waiting for approval.',
      'write_file ok',
      'in the folder: a.txt, b.txt',
      '',
    ])
  })
})

describe('the page about the conversation', () => {
  it('has a script and a program that play it as they stand', () => {
    const page = readFileSync(join(TOP, 'docs/conversation.md'), 'utf8')
    const [script = ''] = blocksOf(page, 'json')
    const [program = ''] = blocksOf(page, 'ts')
    const end = runAlone(program, { 'demo.json': script, LICENSE: 'MIT License\n' })
    expect(end).toMatchObject({ status: 0, stderr: '' })
    expect(end.stdout.split('\n').filter((event) => event === 'text' || event === 'result')).toEqual([
      'text',
      'result',
      'text',
    ])
  })
})

describe('the README', () => {
  it('proves each row of its table by a test and by figures', () => {
    const [, table = ''] = /^\| If \| Tongs \| Proof \|\n(.*?)\n\n/ms.exec(readme) ?? []
    const rows = table.split('\n').slice(1)
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) {
      expect(row).toMatch(/\]\(test\/.*\.test\.ts\)/)
      expect(row).toMatch(/\]\(docs\/(?:reliability|security)\.md#/)
    }
  })

  it('has a library example that runs as it stands', () => {
    const [example = ''] = blocksOf(readme, 'ts')
    const end = runAlone(example, { 'README.md': 'one\ntwo\n' })
    expect(end).toMatchObject({ status: 0, stdout: 'count_lines true lines: 2\n', stderr: '' })
  })

  it('has commands that work as they stand', () => {
    const lines = blocksOf(readme, 'sh')
      .flatMap((block) => block.trim().split('\n'))
      .filter((line) => line.includes('bin/tongs'))
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) {
      const end = spawnSync('/bin/sh', ['-c', line], { cwd: TOP, encoding: 'utf8' })
      expect(end, line).toMatchObject({ status: 0 })
      expect(end.stdout, line).not.toBe('')
    }
  })

  it('leads to the names of every command and every tool', () => {
    const read = (page: string): string => {
      expect(linksOf(readme)).toContain(page)
      return readFileSync(join(TOP, page), 'utf8')
    }
    const commands = [...read('bin/help.txt').matchAll(/^  ([a-z]+)\b/gm)].map(([, name]) => name)
    expect(commands).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)))
    const tools = [...read('docs/tools.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(tools).toEqual(builtInTools.map(({ name }) => name).toSorted())
  })

  it('is tried on the build machine by its own test command', () => {
    const [first = ''] = /npm ci && npm test/.exec(readme) ?? []
    expect(first).not.toBe('')
    expect(readFileSync(join(TOP, '.ci/run'), 'utf8')).toMatch(/^npm ci .*\nnpm test /m)
  })
})
