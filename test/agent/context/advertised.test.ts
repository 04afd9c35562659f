import { describe, expect, it } from 'vitest'
import { chooseAdvertised } from '../../../src/agent/context/advertised.ts'
import { bench } from '../../bench-folder.ts'
import { defineTool, schema } from '../../../src/index.ts'

const lookup = defineTool({
  name: 'lookup',
  version: '1.0.0',
  description: 'Looks a country up',
  effect: 'read',
  input: schema.object(
    { code: schema.string('ISO 3166 code'), file: schema.string('A list, relative to the root') },
    'Which',
  ),
  output: schema.object({ name: schema.string('Its name') }, 'A country'),
  run: () => ({ name: 'x' }),
})

async function propertiesOf(name: string): Promise<Readonly<Record<string, unknown>>> {
  const runtime = await bench({}).open({ tools: [lookup] })
  const tools = chooseAdvertised(runtime.advertised(), runtime.configuration.settings)
  const properties = tools.find((tool) => tool.name === name)?.inputSchema['properties']
  return properties as Readonly<Record<string, unknown>>
}

describe('the arguments a model is told about', () => {
  it('go without a description that their name makes needless, and without what the instructions say', async () => {
    expect(await propertiesOf('read_file')).toEqual({
      path: { type: 'string' },
      start_line: { type: 'integer' },
      end_line: { type: 'integer' },
    })
    const { old, new: replacement } = await propertiesOf('edit_file')
    expect(old).toMatchObject({ description: expect.stringContaining('unique in the file') as string })
    expect(replacement).toEqual({ type: 'string' })
  })

  it('keep every word in tools of others', async () => {
    expect(await propertiesOf('lookup')).toEqual({
      code: { type: 'string', description: 'ISO 3166 code' },
      file: { type: 'string', description: 'A list, relative to the root' },
    })
  })
})
