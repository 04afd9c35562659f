import { describe, expect, it } from 'vitest'
import { drawRequest, ONLY_REQUEST } from '../../../src/terminal/approval-screen.ts'
import { bench } from '../../bench-folder.ts'

const SURFACE = { columns: 300, paint: (_style: unknown, text: string): string => text }
const PATHS = [
  `ghp_${'aB3dE6gH9jK2mN5p'.repeat(2)}q7R8`,
  'AKIAZ7QX4WN2LK9PTRBV',
  'password=hunter2222',
  'token=abc123XYZ789abc/x',
  'src/sk-proj-AbCd1234EfGh5678IjKl9012MnOp3456/a.txt',
]

describe('a path that looks like a secret', () => {
  it.each(PATHS)('is never hidden in the question, why and the list of grants: %s', async (path) => {
    const b = bench()
    const runtime = await b.open({ durability: 'normal', approve: 'later' })
    await runtime.run([{ id: '1', name: 'write_file', args: { path, content: 'a\n' } }], { session: 's' })
    const [request] = await runtime.pending()
    if (request === undefined) throw new Error('there is no question')
    const drawn = drawRequest(request, { ...ONLY_REQUEST, isWhole: true }, SURFACE).text
    const scope = { kind: 'path', glob: path } as const
    await runtime.decide([request.id], { isApproved: true, scope })
    const [explained] = runtime.why(request.execution)
    const { grants } = await runtime.grants()
    const facts = explained?.gates.map(({ fact }) => fact).join('\n') ?? ''
    for (const text of [request.summary, drawn, facts, grants[0]?.sentence ?? '']) {
      expect(text).toContain(path)
      expect(text).not.toContain('[redacted')
    }
  })

  it('does not show a secret that is not part of a path', async () => {
    const runtime = await bench().open({ durability: 'normal', approve: 'later' })
    const cmd = ['echo', PATHS[0] ?? '']
    const args = { cmd, network: true }
    await runtime.run([{ id: '1', name: 'run_shell', args }], { session: 's' })
    const [request] = await runtime.pending()
    if (request === undefined) throw new Error('there is no question')
    const drawn = drawRequest(request, { ...ONLY_REQUEST, isWhole: true }, SURFACE).text
    expect(drawn).toContain('[redacted: GitHub token')
    expect(drawn).not.toContain(PATHS[0])
  })
})
