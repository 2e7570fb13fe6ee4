"""The client that does not await. Written by `npm run openapi` from the other one. Do not edit."""
