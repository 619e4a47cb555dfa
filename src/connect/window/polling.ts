/** Repeats a step while a screen is shown. */

/**
 * Runs `step` again and again, `everyMs` after the previous run ended, until it returns false or the screen is
 * replaced. A hidden page waits, unless `isUrgent`.
 */
export const repeatWhileShown = (
  screen: HTMLElement,
  everyMs: number,
  step: () => Promise<boolean>,
  isUrgent = false,
): void =>
  void setTimeout(async () => {
    if (!screen.isConnected) return
    const isWaiting = document.hidden && !isUrgent
    if (isWaiting || (await step())) repeatWhileShown(screen, everyMs, step, isUrgent)
  }, everyMs)
