import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pdf, png } from '../../harness/sample-pictures.ts'
import { connectStreams, openServed, REVISIONS } from './open-client.ts'

describe.for(REVISIONS)('a picture over MCP %s', (revision) => {
  it('is an image block after the words about it, and a PDF an embedded resource', async () => {
    const served = await openServed()
    const [shot, paper] = [png(4, 5), pdf(1)]
    writeFileSync(join(served.root, 'a.png'), shot)
    writeFileSync(join(served.root, 'b.pdf'), paper)
    const { call, close } = await connectStreams(served, revision)
    const picture = await call('read_file', { path: 'a.png' })
    expect(picture.content).toEqual([
      { type: 'text', text: `[PNG picture, 4 x 5 pixels, ${shot.length} bytes]` },
      { type: 'image', mimeType: 'image/png', data: shot.toString('base64') },
    ])
    expect(picture.structuredContent).toMatchObject({
      path: 'a.png',
      attachment: { type: 'image/png', width: 4, height: 5, bytes: shot.length },
    })
    const document = await call('read_file', { path: 'b.pdf' })
    expect(document.content.at(-1)).toMatchObject({
      type: 'resource',
      resource: { mimeType: 'application/pdf', blob: paper.toString('base64') },
    })
    await close()
  })
})
