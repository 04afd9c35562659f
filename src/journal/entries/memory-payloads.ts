import { bytesOf } from './content.ts'
import type { Content } from './content.ts'
import type { Digest } from './entry.ts'

/** Contents by digest. Adding only appends; they are indexed on demand, because most are never read. */
export class MemoryPayloads {
  readonly #contents = new Map<Digest, Content>()
  #newDigests: Digest[] = []
  #newContents: Content[] = []

  add(digest: Digest, content: Content): void {
    this.#newDigests.push(digest)
    this.#newContents.push(content)
  }

  bytes(digest: Digest): Uint8Array | null {
    const content = this.#all().get(digest)
    return content === undefined ? null : bytesOf(content)
  }

  remove(digest: Digest): void {
    this.#all().delete(digest)
  }

  /** The size of all contents in bytes. */
  size(): number {
    return this.#all()
      .values()
      .reduce((sum, content) => sum + bytesOf(content).length, 0)
  }

  #all(): Map<Digest, Content> {
    for (const [index, content] of this.#newContents.entries())
      this.#contents.set(this.#newDigests[index] ?? '', content)
    this.#newDigests = []
    this.#newContents = []
    return this.#contents
  }
}
