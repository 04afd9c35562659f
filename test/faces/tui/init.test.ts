import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import { createSubmit } from '../../../src/faces/tui/input/submit.ts'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { idlePowers, testSession } from './test-session.ts'
import type { ScriptTurn } from './test-session.ts'

const FILES = {
  'package.json': JSON.stringify({ scripts: { build: 'tsc', test: 'node --test', 'x; rm -r': 'no' } }),
  'package-lock.json': '{}',
  Makefile: 'lint:\n\ttrue\nbuild := x\n',
  'src/a.ts': 'let a\n',
  'src/a.test.ts': '',
}

async function openLines(turns: readonly ScriptTurn[] | null, files: Readonly<Record<string, string>>) {
  const asked: ApprovalRequest[] = []
  const { session, b } = await testSession(turns, {
    files,
    approve: (requests) => {
      asked.push(...requests)
      return requests.map(() => 'once' as const)
    },
  })
  const submit = createSubmit(freshState(session), idlePowers(session), { addToHistory: () => undefined })
  const shown = () =>
    session
      .view()
      .blocks.flatMap((block) => (block.kind === 'notice' || block.kind === 'said' ? [block.text] : []))
  return { session, submit, shown, asked, file: () => readFileSync(join(b.root, 'AGENTS.md'), 'utf8') }
}

describe('/init', () => {
  it('without a model writes what the workspace shows, as an edit that is asked about and undone', async () => {
    const app = await openLines(null, FILES)
    await app.submit('/init')
    expect(app.asked).toHaveLength(1)
    expect(JSON.stringify(app.asked[0])).toContain('+## Commands')
    expect(app.file()).toContain('- Build: `npm run build`\n- Test: `npm run test`\n- Lint: `make lint`\n')
    expect(app.file()).toContain('run_tests starts them')
    expect(app.file()).toContain('- src/ (2 entries)')
    expect(app.file()).not.toContain('rm -r')
    const [undone] = [await app.session.runtime.undo({ session: 's' })]
    expect(undone.ok).toBe(true)
    expect(app.file).toThrow()
    await app.session.close()
  })

  it('with a model asks it for the file, with these facts as data and the words of the user', async () => {
    const calls = [{ id: 'c1', name: 'write_file', args: { path: 'AGENTS.md', content: '# Mine\n' } }]
    const app = await openLines([{ calls }, { text: 'Written.' }], FILES)
    await app.submit('/init mention the Makefile')
    expect(app.shown()[0]).toMatch(/^Write AGENTS\.md, .*The user adds: mention the Makefile.*```facts\n# /s)
    expect(app.asked).toHaveLength(1)
    expect(app.file()).toBe('# Mine\n')
    await app.session.close()
  })

  it('improves a file that exists, with a model only', async () => {
    const files = { ...FILES, 'AGENTS.md': 'Old.', 'CLAUDE.md': 'Older.' }
    const app = await openLines([{ text: 'Fine as it is.' }], files)
    await app.submit('/init')
    expect(app.shown()[0]).toMatch(/^Improve AGENTS\.md.*Read it first\..*Read CLAUDE\.md as well/s)
    await app.session.close()
    const alone = await openLines(null, files)
    await alone.submit('/init')
    expect(alone.shown().at(-1)).toMatch(/AGENTS\.md exists; a model can improve it/)
    expect(alone.file()).toBe('Old.')
    await alone.session.close()
  })
})
