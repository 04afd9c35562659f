import type { WebAddress } from './web-address.ts'

/** What to fetch, and how much of it at most. */
export interface WebRequest {
  readonly address: WebAddress
  readonly maxBytes: number
  readonly maxRedirects: number
  readonly signal: AbortSignal
}

/** What a server answered. */
export type WebAnswer =
  | {
      readonly is: 'answered'
      /** Where it came from, after redirects within the origin. */
      readonly address: WebAddress
      /** The IP address that was connected to. */
      readonly ip: string
      readonly status: number
      /** The media type with its parameters, as the server sent it; empty if it sent none. */
      readonly type: string
      /** What was sent, decompressed; the beginning if there was too much. */
      readonly body: Uint8Array
      readonly isCut: boolean
    }
  | {
      /** It leads to another origin, which was not asked for anything. */
      readonly is: 'elsewhere'
      readonly address: WebAddress
      readonly ip: string
      readonly status: number
      /** Where it leads, or the text that names no place which could be fetched, and why not. */
      readonly to: string
      readonly fault: string | null
    }

/** A page as text. */
export interface PageText {
  readonly title: string | null
  readonly text: string
  /** Whether the page is only a shell that a script would fill. */
  readonly needsScript: boolean
}

/** Fetching from the web. */
export interface Web {
  /** Asks for an address, without cookies or credentials; only public IP addresses are connected to. */
  readonly fetch: (request: WebRequest) => Promise<WebAnswer>
  /** What a reader would see of a page, as text with links; on a thread of its own. */
  readonly readPage: (html: string, base: WebAddress, signal: AbortSignal) => Promise<PageText>
  /** Stores what a call received, so that `read_file` finds it by the returned path; null if outputs are not stored. */
  readonly store: (content: string | Uint8Array) => string | null
}
