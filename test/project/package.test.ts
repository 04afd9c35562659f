import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'

const MODULES = join(TOP, 'node_modules')
const DEVELOPMENT = /^(?:typescript|vitest|vite|oxlint|oxfmt|fast-check|node|tongs)$/

let box = ''
let app = ''
let packed: readonly string[] = []

function run(file: string, args: readonly string[], cwd: string): string {
  const end = spawnSync(file, args, { cwd, encoding: 'utf8' })
  if (end.status !== 0)
    throw new Error(`${file} ${args.join(' ')} ended with ${end.status}: ${end.stdout}${end.stderr}`)
  return end.stdout
}

// Packs a copy, so that the checkout stays as it is, and puts it where an installation would.
beforeAll(() => {
  box = mkdtempSync(join(tmpdir(), 'tongs-package-'))
  const copy = join(box, 'copy')
  const left = new Set(['.git', '.vitest', 'node_modules', 'dist', 'bench'])
  for (const name of readdirSync(TOP))
    if (!left.has(name)) cpSync(join(TOP, name), join(copy, name), { recursive: true })
  symlinkSync(MODULES, join(copy, 'node_modules'))
  const [report] = JSON.parse(
    run('npm', ['pack', '--json', '--silent', '--pack-destination', box], copy).replace(/^[^[]*/, ''),
  ) as [{ filename: string; files: readonly { path: string }[] }]
  packed = report.files.map(({ path }) => path)
  app = join(box, 'app')
  mkdirSync(join(app, 'node_modules/.bin'), { recursive: true })
  run('tar', ['-xzf', join(box, report.filename), '-C', box], box)
  cpSync(join(box, 'package'), join(app, 'node_modules/tongs'), { recursive: true })
  symlinkSync('../tongs/bin/tongs.cjs', join(app, 'node_modules/.bin/tongs'))
  for (const name of readdirSync(MODULES)) {
    if (!name.startsWith('.') && !DEVELOPMENT.test(name))
      symlinkSync(join(MODULES, name), join(app, 'node_modules', name))
  }
  writeFileSync(join(app, 'a.txt'), 'red\n')
})
afterAll(() => rmSync(box, { recursive: true, force: true }))

describe('the package', () => {
  it('holds what is needed to run it, and nothing else', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'CHANGELOG.md',
        'package.json',
        'bin/help-commands.json',
        'bin/help.txt',
        'man/tongs.1',
        'bin/tongs.cjs',
        'dist/index.js',
        'dist/index.d.ts',
      ]),
    )
    expect(
      packed.filter(
        (path) =>
          !/^(?:dist\/|man\/tongs\.1$|bin\/(?:help\.txt|help-commands\.json|load-bundle\.cjs|signature\.cjs|tongs\.cjs)$|[A-Z]+(?:\.md)?$|package\.json$)/.test(
            path,
          ),
      ),
    ).toEqual([])
  })

  it('answers npx tongs --version', () => {
    expect(run('npx', ['tongs', '--version'], app)).toMatch(/^tongs \d+\.\d+\.\d+\n$/)
  })

  it('runs a call', () => {
    const words = ['call', 'read_file', '{"path":"a.txt"}', '--json', '--root', '.']
    expect(JSON.parse(run(join(app, 'node_modules/.bin/tongs'), words, app))).toMatchObject({
      ok: true,
      content: 'red\n',
    })
  })

  it('can be imported, and its types hold for those who do', () => {
    const code = `import { createRuntime } from 'tongs'
      const runtime = await createRuntime({ root: '.', durability: 'memory' })
      const [first] = await runtime.run([{ id: '1', name: 'read_file', args: { path: 'a.txt' } }])
      console.log(first?.content)
      await runtime.close()\n`
    writeFileSync(join(app, 'use.mts'), code)
    expect(run(process.execPath, ['use.mts'], app)).toBe('red\n\n')
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      '--skipLibCheck',
      'false',
    ]
    run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), ...options, 'use.mts'], app)
    writeFileSync(join(app, 'misuse.mts'), code.replace("root: '.'", 'root: 5'))
    expect(() =>
      run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), ...options, 'misuse.mts'], app),
    ).toThrow('TS2322')
  })
})
