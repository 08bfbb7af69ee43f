// What a reader does with a replay.
export async function checkReplay() {}
