import { describeJournal, tallyFold } from "../../../../test/conformance/journal.ts";
import { createMemoryJournal } from "./memory.ts";

describeJournal("memory", async () => {
  const journal = createMemoryJournal(tallyFold);
  return { open: async () => journal, remove: async () => {} };
});
