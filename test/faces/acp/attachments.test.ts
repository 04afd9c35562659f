import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jpeg, pdf, png } from '../../harness/sample-pictures.ts'
import { startModelServer } from '../../model/model-server.ts'
import { objectsIn } from '../../model/objects-in.ts'
import { PROVIDER_STREAMS } from '../../model/provider-streams.ts'
import { makeScripted, openEditor } from './open-editor.ts'

const [anthropic] = PROVIDER_STREAMS

describe('what is attached in an editor', () => {
  it('is shown to a model that takes it: images, embedded files, and links to files of the root', async () => {
    const shop = makeScripted([])
    const [image, embedded, linked] = [png(4, 5), pdf(1), jpeg(6, 7)]
    writeFileSync(join(shop.root, 'linked.jpg'), linked)
    const server = await startModelServer({ pieces: anthropic?.hello ?? [] })
    const editor = await openEditor(shop, {
      words: ['--model', anthropic?.model ?? '', '--base-url', server.url + (anthropic?.path ?? '')],
      env: { [anthropic?.key ?? '']: 'k' },
    })
    expect(editor.introduced.agentCapabilities?.promptCapabilities?.image).toBe(true)
    const session = await editor.begin()
    await editor.prompt(session, [
      { type: 'text', text: 'Compare ' },
      // What it is said to be does not count.
      { type: 'image', data: image.toString('base64'), mimeType: 'image/webp' },
      { type: 'resource', resource: { uri: 'file:///x/b.bin', blob: embedded.toString('base64') } },
      { type: 'resource_link', uri: `file://${shop.root}/linked.jpg`, name: 'linked.jpg' },
      { type: 'image', data: png(1, 90_000).toString('base64'), mimeType: 'image/png' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ])
    const body = server.seen[0]?.body ?? ''
    for (const [type, media_type, bytes] of [
      ['image', 'image/png', image],
      ['document', 'application/pdf', embedded],
      ['image', 'image/jpeg', linked],
    ] as const) {
      const source = { type: 'base64', media_type, data: bytes.toString('base64') }
      expect(objectsIn(body)).toContainEqual(expect.objectContaining({ type, source }))
    }
    expect(body).toContain(`[Attached: PNG picture, 4 x 5 pixels, ${image.length} bytes.]`)
    expect(editor.said()).toMatch(/1 x 90000 pixels.*was not shown to the model: a side is longer/)
    expect(editor.said()).toContain('image (image/png, 3 bytes) was not shown to the model')
    expect(await editor.end()).toBe(0)
  })

  it('is described to a model that takes none, and the editor is told', async () => {
    const shop = makeScripted([{ text: 'Hm.' }])
    const editor = await openEditor(shop)
    const session = await editor.begin()
    await editor.prompt(session, [
      { type: 'image', data: png(4, 5).toString('base64'), mimeType: 'image/png' },
    ])
    expect(editor.said()).toContain('model.attachments')
    expect(editor.said()).toContain('Hm.')
  })
})
