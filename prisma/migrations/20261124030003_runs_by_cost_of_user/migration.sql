CREATE INDEX CONCURRENTLY "runs_by_cost_of_user" ON "runs"("user_id", ((usage ->> 'cost_usd')::double precision), "id") WHERE ((usage ->> 'cost_usd')::double precision) IS NOT NULL;
