CREATE INDEX CONCURRENTLY "runs_by_cost" ON "runs"(((usage ->> 'cost_usd')::double precision), "id") WHERE ((usage ->> 'cost_usd')::double precision) IS NOT NULL;
