// A test loads this before the program: its time is that of the story, which has skipped hours.
const offsetMs = Number(process.env.CLOCK_OFFSET_MS);
const { now } = Date;
Date.now = () => now() + offsetMs;
