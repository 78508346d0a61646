import { describeDamage } from "../conformance/damage.ts";
import { describeJournal } from "../conformance/journal.ts";
import { postgresHarness } from "./harness.ts";

describeJournal("postgres", postgresHarness);
describeDamage("postgres", postgresHarness);
