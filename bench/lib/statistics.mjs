/** @param {readonly number[]} values not empty */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? at(sorted, middle) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
}

/** @param {ArrayLike<number>} sorted not empty @param {number} percent 0 to 100 */
export function percentile(sorted, percent) {
  return at(sorted, Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length)));
}

/** @param {ArrayLike<number>} values @param {number} index @returns {number} */
function at(values, index) {
  const value = values[index];
  if (value === undefined) throw new Error('statistics of no values');
  return value;
}

/** Milliseconds that an action took. @param {() => Promise<unknown> | unknown} action */
export async function timeOf(action) {
  const start = performance.now();
  await action();
  return performance.now() - start;
}
