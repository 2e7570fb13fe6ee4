-- What users keep by namespace and key, for their agents' programs and clients.
-- CreateTable
CREATE TABLE "store_items" (
    "user_id" TEXT NOT NULL,
    "namespace" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "ttl_ms" BIGINT,
    "expires_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "store_items_pkey" PRIMARY KEY ("user_id","namespace","key")
);

-- CreateIndex
CREATE INDEX "store_items_expires_at_idx" ON "store_items"("expires_at");
