-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "idle_runs" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "remote_count" JSONB,
ADD COLUMN     "token" TEXT;
