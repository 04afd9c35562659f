import { readdirSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findConfinement } from '../../../src/host/confine/find-confinement.ts'
import { proveLayer } from '../../../src/host/layer/prove-layer.ts'
import type { LayerSupport } from '../../../src/host/layer/prove-layer.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'

const SLOW: LayerSupport = { rung: 'unknown', reason: 'a command on a layer was not ready within 15 s' }
const WRITE = [{ id: 'c1', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo new > made'] } }]

/** The sandbox of this process, whose proofs of layers come too late as long as that is wished. */
async function slowLevel() {
  const level = await findConfinement({
    sandbox: 'auto',
    externalLabel: '',
    home: '/nonexistent',
    probeMs: PATIENCE_MS,
  })
  if (!level.holds) throw new Error(level.reason)
  const spied = vi.spyOn(level, 'layerIn').mockResolvedValue(SLOW)
  onTestFinished(() => spied.mockRestore())
  return { level, spied }
}

describe('a proof of layers that was not ready in time', () => {
  it.each(['auto', 'require'] as const)(
    'runs no command with %s, says what helps, and is tried again',
    async (layer) => {
      const { spied } = await slowLevel()
      const b = bench()
      const runtime = await b.open({ preset: 'auto', config: { 'tools.shell.layer': layer } })
      const [refused] = await runtime.run(WRITE)
      expect(errorOf(refused)).toMatchObject({
        code: 'not_allowed',
        state: 'DENIED',
        message: `Commands do not run here for now. Whether commands can work on a layer could not be found out: ${SLOW.reason}.`,
        recovery: expect.arrayContaining([expect.stringMatching(/tools\.shell\.probe_seconds/)]),
      })
      expect(readdirSync(b.root)).toEqual([])
      spied.mockRestore()
      const [ran] = await runtime.run(WRITE)
      expect(ran).toMatchObject({ ok: true, result: { layer: 'overlay' } })
    },
  )

  it('is not asked for where no layer is wanted', async () => {
    const { spied } = await slowLevel()
    const b = bench({}, { 'tools.shell.layer': 'off' })
    expect(await b.call('run_shell', WRITE[0]?.args, { preset: 'auto' })).toMatchObject({
      ok: true,
      result: { layer: 'none' },
    })
    expect(spied).not.toHaveBeenCalled()
  })

  it.each(['here', 'on another root'])('is no proof that there are none (%s)', async (where) => {
    const { level } = await slowLevel()
    const scratch = makeScratch()
    const sleeps =
      (isSlow: boolean): typeof level.confine =>
      (workspace) => {
        const confinement = level.confine(workspace)
        const launch: typeof confinement.launch = (command) => ({
          ...confinement.launch(command),
          ...(isSlow || workspace.roots[0] === scratch.at('far')
            ? { argv: ['/bin/sleep', '60'], mounted: null }
            : {}),
        })
        return { ...confinement, launch }
      }
    scratch.folder('far')
    const support = await proveLayer({
      confine: sleeps(where === 'here'),
      place: scratch.folder('place'),
      triedRoot: scratch.at('far'),
      timeoutMs: where === 'here' ? 200 : 3_000,
    })
    expect(support).toMatchObject({
      rung: 'unknown',
      reason: expect.stringMatching(
        /^a command on a layer was not ready within .* s \(tools\.shell\.probe_seconds\)$/,
      ),
    })
  })
})
