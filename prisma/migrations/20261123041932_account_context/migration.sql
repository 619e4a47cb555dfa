-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "context" TEXT,
ADD COLUMN     "context_due_at" TIMESTAMPTZ(3),
ADD COLUMN     "context_read_at" TIMESTAMPTZ(3),
ADD COLUMN     "context_version" INTEGER;
