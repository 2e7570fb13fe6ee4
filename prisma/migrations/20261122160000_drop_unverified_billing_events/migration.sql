-- Anybody could send these while no secret was set. Nothing was ever made of them, and no new ones are kept.
DELETE FROM "billing_events" WHERE NOT "verified";
