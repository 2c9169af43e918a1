// The order of versions, as far as a rollback needs it.

const VERSION = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/;

/** Whether a version is older than another one. Versions of other forms are never older. */
export function isOlder(version: string, than: string): boolean {
  const [left, right] = [VERSION.exec(version), VERSION.exec(than)];
  if (left === null || right === null) return false;
  const numbers = compare(left[1] ?? "", right[1] ?? "", "0");
  if (numbers !== 0) return numbers < 0;
  const [early, late] = [left[2], right[2]];
  if (early === undefined || late === undefined) return early !== undefined && late === undefined;
  return compare(early, late, "") < 0;
}

/** Compares parts between dots by the rules of SemVer. `missing` stands for a part that one of them lacks. */
function compare(left: string, right: string, missing: string): number {
  const [lefts, rights] = [left.split("."), right.split(".")];
  for (let at = 0; at < Math.max(lefts.length, rights.length); at += 1) {
    const [one, other] = [lefts[at] ?? missing, rights[at] ?? missing];
    if (one === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber && Number(one) === Number(other)) continue;
    if (isNumber && isOtherNumber) return Number(one) - Number(other);
    // A missing part is lowest, then come numbers, then words.
    if (one === "" || other === "") return one === "" ? -1 : 1;
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}
