import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/runtime/configure/configuration-error.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import { echo as tool } from '../../harness/simple-tool.ts'

async function told(options: Partial<RuntimeOptions> = {}): Promise<readonly string[]> {
  const runtime = await bench().open(options)
  return runtime.advertised().map(({ name }) => name)
}

describe('the tools a model is told about', () => {
  it('FR-REG-03a: are about a dozen, under strict all that may be called, and by name whatever is named', async () => {
    const few = await told()
    expect(few).toEqual(
      expect.arrayContaining(['read_file', 'edit_file', 'delete_path', 'search', 'run_shell']),
    )
    expect(few).not.toContain('multi_edit')
    expect(few.length).toBeLessThanOrEqual(15)
    const all = await told({ profile: 'strict' })
    expect(all).toEqual(expect.arrayContaining(['multi_edit', 'list_files', 'task']))
    expect(await told({ config: { 'tools.advertise': ['glob', 'multi_edit'] } })).toEqual([
      'glob',
      'multi_edit',
    ])
    expect(await told({ config: { 'tools.advertise': [] } })).toEqual([])
  })

  it('leave out what is switched off or denied, since it would only be refused', async () => {
    const config = { 'tools.advertise': ['*'], 'tools.approval.denylist': ['search'] }
    const all = await told({ config })
    expect(all).not.toContain('search')
    expect(all).not.toContain('run_command')
    expect(await told({ config: { ...config, 'tools.run_command.enabled': true } })).toContain('run_command')
  })

  it('include those that a program brings, unless the list says otherwise', async () => {
    expect(await told({ tools: [tool] })).toContain(tool.name)
    expect(await told({ tools: [tool], config: { 'tools.advertise': ['glob'] } })).toEqual(['glob'])
    expect(await told({ tools: [tool], config: { 'tools.advertise': [tool.name] } })).toEqual([tool.name])
  })

  it('are no limit on what can be called', async () => {
    const b = bench({ 'a.txt': 'a\n' })
    const config = { 'tools.advertise': ['glob'] }
    outputOf(await b.call('list_files', { directory: '.' }, { config }, { origin: 'model' }))
  })

  it('a name that no tool has is an error of the configuration, with the nearest one', async () => {
    const opening = bench().open({ config: { 'tools.advertise': ['read_file', 'serch'] } })
    await expect(opening).rejects.toThrow(ConfigurationError)
    await expect(bench().open({ config: { 'tools.advertise': ['serch'] } })).rejects.toThrow(
      /there is no tool "serch" \(did you mean search\?\)/,
    )
  })
})
