-- AlterTable
ALTER TABLE "accounting_accounts" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_bills" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_company_info" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_customers" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_invoices" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_items" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_payments" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_purchase_orders" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_tax_rates" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_tracking_categories" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "accounting_vendors" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "commerce_customers" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "commerce_fulfillments" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "commerce_orders" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "commerce_products" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "crm_accounts" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "crm_contacts" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "crm_leads" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "crm_notes" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "crm_opportunities" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "crm_stages" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "crm_tasks" ADD COLUMN     "custom_fields" JSONB;

-- AlterTable
ALTER TABLE "crm_users" ADD COLUMN     "custom_fields" JSONB;

-- CreateTable
CREATE TABLE "custom_fields" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "credential_id" UUID,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "remote_field" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "custom_fields_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "custom_fields_environment_id_app_topic_idx" ON "custom_fields"("environment_id", "app", "topic");

-- CreateIndex
CREATE INDEX "custom_fields_credential_id_idx" ON "custom_fields"("credential_id");

-- AddForeignKey
ALTER TABLE "custom_fields" ADD CONSTRAINT "custom_fields_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_fields" ADD CONSTRAINT "custom_fields_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: a name is unique among the fields of a credential, and among those of the environment.
CREATE UNIQUE INDEX "custom_fields_name_idx"
    ON "custom_fields"("environment_id", "app", "topic", "name", (coalesce("credential_id", "environment_id")));
