-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];
