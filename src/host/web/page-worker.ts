import { parentPort, workerData } from 'node:worker_threads'
import { renderPage } from './page/render-page.ts'

/** Renders one page on a thread of its own, so that a hostile one holds up nothing else. */
const { html, base } = workerData as { readonly html: string; readonly base: string }
parentPort?.postMessage(renderPage(html, base), [])
