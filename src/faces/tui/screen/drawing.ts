import { FRAME_MS } from '../draw/canvas.ts'

/** The shortest time between redraws, because live events come by the thousand. */
const DRAW_MS = 50

/** Redraws soon after a change, and repeatedly while something is animated. */
export function createDrawing(isMoving: () => boolean, draw: () => void) {
  let timer: NodeJS.Timeout | undefined
  let motion: NodeJS.Timeout | undefined
  let drawnAt = 0

  function redraw(): void {
    if (isMoving()) motion ??= setInterval(onFrame, FRAME_MS)
    if (timer !== undefined) return
    const wait = Math.max(0, DRAW_MS - (performance.now() - drawnAt))
    timer = setTimeout(() => {
      timer = undefined
      drawnAt = performance.now()
      draw()
    }, wait)
  }

  function onFrame(): void {
    if (!isMoving()) {
      clearInterval(motion)
      motion = undefined
    }
    redraw()
  }

  return {
    redraw,
    stop() {
      clearTimeout(timer)
      clearInterval(motion)
    },
  }
}
