/** The handoff of a plugin whose work has just started. Values are filled in on creation. */
export const HANDOFF_TEMPLATE: string = `---
---

# Resume Point

## Current State: Not started

None yet.

## Completed So Far

None yet.

## Next Steps

None yet.

## Build Artifacts

None yet.

## Testing Checklist

None yet.

## Context to Preserve

None yet.
`;
