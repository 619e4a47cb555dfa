-- CreateTable
CREATE TABLE "accounting_accounts" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "account_name" TEXT,
    "account_description" TEXT,
    "classification" TEXT,
    "account_type" TEXT,
    "account_status" TEXT,
    "current_balance" DECIMAL,
    "currency" TEXT,
    "account_number" TEXT,
    "parent_account_id" UUID,
    "company_id" UUID,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_accounts_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_bills" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "vendor_id" UUID,
    "bill_number" TEXT,
    "bill_status" TEXT,
    "issue_date" TIMESTAMPTZ(3),
    "due_date" TIMESTAMPTZ(3),
    "paid_on_date" TIMESTAMPTZ(3),
    "memo" TEXT,
    "company_id" UUID,
    "currency" TEXT,
    "exchange_rate" DECIMAL,
    "sub_total" DECIMAL,
    "total_discount" DECIMAL,
    "total_tax_amount" DECIMAL,
    "total_amount" DECIMAL,
    "balance" DECIMAL,
    "tracking_category_ids" UUID[],
    "line_items" JSONB NOT NULL,
    "purchase_order_ids" UUID[],
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_bills_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_company_info" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "company_name" TEXT,
    "company_legal_name" TEXT,
    "tax_number" TEXT,
    "fiscal_year_end_month" INTEGER,
    "fiscal_year_end_day" INTEGER,
    "currency" TEXT,
    "company_urls" TEXT[],
    "company_addresses" JSONB NOT NULL,
    "company_phone_numbers" JSONB NOT NULL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_company_info_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_customers" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "customer_name" TEXT,
    "email" TEXT,
    "tax_number" TEXT,
    "customer_status" TEXT,
    "currency" TEXT,
    "company_id" UUID,
    "addresses" JSONB NOT NULL,
    "phone_numbers" JSONB NOT NULL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_customers_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_invoices" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "customer_id" UUID,
    "invoice_number" TEXT,
    "invoice_status" TEXT,
    "issue_date" TIMESTAMPTZ(3),
    "due_date" TIMESTAMPTZ(3),
    "paid_on_date" TIMESTAMPTZ(3),
    "memo" TEXT,
    "company_id" UUID,
    "currency" TEXT,
    "exchange_rate" DECIMAL,
    "sub_total" DECIMAL,
    "total_discount" DECIMAL,
    "total_tax_amount" DECIMAL,
    "total_amount" DECIMAL,
    "balance" DECIMAL,
    "tracking_category_ids" UUID[],
    "line_items" JSONB NOT NULL,
    "purchase_order_ids" UUID[],
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_invoices_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_items" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "item_name" TEXT,
    "item_status" TEXT,
    "item_type" TEXT,
    "unit_price" DECIMAL,
    "purchase_price" DECIMAL,
    "qty_on_hand" DECIMAL,
    "bill_account_id" UUID,
    "invoice_account_id" UUID,
    "asset_account_id" UUID,
    "company_id" UUID,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_items_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_payments" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "transaction_date" TIMESTAMPTZ(3),
    "customer_id" UUID,
    "vendor_id" UUID,
    "account_id" UUID,
    "currency" TEXT,
    "exchange_rate" DECIMAL,
    "company_id" UUID,
    "total_amount" DECIMAL,
    "tracking_category_ids" UUID[],
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_payments_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_purchase_orders" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "purchase_order_status" TEXT,
    "purchase_order_number" TEXT,
    "issue_date" TIMESTAMPTZ(3),
    "delivery_date" TIMESTAMPTZ(3),
    "delivery_address" JSONB,
    "vendor_id" UUID,
    "account_id" UUID,
    "memo" TEXT,
    "company_id" UUID,
    "total_amount" DECIMAL,
    "currency" TEXT,
    "exchange_rate" DECIMAL,
    "tracking_category_ids" UUID[],
    "line_items" JSONB NOT NULL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_purchase_orders_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_tax_rates" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "description" TEXT,
    "total_tax_rate" DECIMAL,
    "effective_tax_rate" DECIMAL,
    "company_id" UUID,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_tax_rates_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_tracking_categories" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "tracking_category_name" TEXT,
    "tracking_category_status" TEXT,
    "tracking_category_type" TEXT,
    "parent_category_id" UUID,
    "company_id" UUID,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_tracking_categories_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "accounting_vendors" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "vendor_name" TEXT,
    "email" TEXT,
    "tax_number" TEXT,
    "vendor_status" TEXT,
    "currency" TEXT,
    "company_id" UUID,
    "addresses" JSONB NOT NULL,
    "phone_numbers" JSONB NOT NULL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "accounting_vendors_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "crm_accounts" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "account_name" TEXT,
    "account_owner" TEXT,
    "description" TEXT,
    "industry" TEXT,
    "website" TEXT,
    "number_of_employees" INTEGER,
    "last_activity_at" TIMESTAMPTZ(3),
    "addresses" JSONB NOT NULL,
    "phone_numbers" JSONB NOT NULL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "crm_accounts_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "crm_contacts" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "account" UUID,
    "addresses" JSONB NOT NULL,
    "email_addresses" JSONB NOT NULL,
    "phone_numbers" JSONB NOT NULL,
    "last_activity_at" TIMESTAMPTZ(3),
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "crm_contacts_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "crm_leads" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "lead_owner" TEXT,
    "lead_source" TEXT,
    "lead_title" TEXT,
    "company" TEXT,
    "first_name" TEXT,
    "last_name" TEXT,
    "addresses" JSONB NOT NULL,
    "email_addresses" JSONB NOT NULL,
    "phone_numbers" JSONB NOT NULL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "crm_leads_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "crm_notes" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "note_owner" UUID,
    "note_title" TEXT,
    "note_content" TEXT,
    "note_contact" UUID,
    "note_account" UUID,
    "note_opportunity" UUID,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "crm_notes_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "crm_opportunities" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "opportunity_name" TEXT,
    "opportunity_description" TEXT,
    "amount" DECIMAL,
    "opportunity_owner" UUID,
    "opportunity_account" UUID,
    "opportunity_stage" UUID,
    "opportunity_status" TEXT,
    "close_date" TIMESTAMPTZ(3),
    "last_activity_at" TIMESTAMPTZ(3),
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "crm_opportunities_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "crm_stages" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "stage_name" TEXT,
    "pipeline_name" TEXT,
    "display_order" INTEGER,
    "probability" DECIMAL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "crm_stages_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "crm_tasks" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "task_subject" TEXT,
    "task_content" TEXT,
    "task_owner" UUID,
    "task_opportunity" UUID,
    "task_status" TEXT,
    "due_date" TIMESTAMPTZ(3),
    "completed_date" TIMESTAMPTZ(3),
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "crm_tasks_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "crm_users" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "name" TEXT,
    "email" TEXT,
    "is_active" BOOLEAN,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "crm_users_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "commerce_customers" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "email" TEXT,
    "phone" TEXT,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "commerce_customers_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "commerce_fulfillments" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "order_id" UUID,
    "carrier" TEXT,
    "service" TEXT,
    "tracking_numbers" TEXT[],
    "tracking_urls" TEXT[],
    "line_items" JSONB NOT NULL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "commerce_fulfillments_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "commerce_orders" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "order_number" TEXT,
    "order_status" TEXT,
    "fulfillment_status" TEXT,
    "payment_status" TEXT,
    "currency" TEXT,
    "total_price" DECIMAL,
    "total_discount" DECIMAL,
    "total_shipping" DECIMAL,
    "total_tax" DECIMAL,
    "line_items" JSONB NOT NULL,
    "billing_address" JSONB,
    "shipping_address" JSONB,
    "customer" JSONB,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "commerce_orders_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "commerce_products" (
    "credential_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "remote_id" TEXT NOT NULL,
    "product_name" TEXT,
    "description" TEXT,
    "product_type" TEXT,
    "product_status" TEXT,
    "images" TEXT[],
    "tags" TEXT[],
    "vendor" TEXT,
    "product_url" TEXT,
    "variants" JSONB NOT NULL,
    "remote_fields" JSONB,
    "remote_created_at" TIMESTAMPTZ(3),
    "remote_updated_at" TIMESTAMPTZ(3),
    "remote_deleted" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "document" TEXT,

    CONSTRAINT "commerce_products_pkey" PRIMARY KEY ("credential_id","id")
);

-- CreateTable
CREATE TABLE "organisations" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organisations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "environments" (
    "id" UUID NOT NULL,
    "organisation_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "environments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "end_users" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "username" TEXT NOT NULL,
    "full_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "end_users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credentials" (
    "id" UUID NOT NULL,
    "route" CHAR(8) NOT NULL,
    "environment_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "app" TEXT NOT NULL,
    "values" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sync_states" (
    "credential_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3),
    "run" JSONB,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "full_listing_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failure" TEXT,

    CONSTRAINT "sync_states_pkey" PRIMARY KEY ("credential_id","topic")
);

-- CreateTable
CREATE TABLE "sync_sightings" (
    "credential_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "record_id" UUID NOT NULL,

    CONSTRAINT "sync_sightings_pkey" PRIMARY KEY ("credential_id","topic","record_id")
);

-- CreateTable
CREATE TABLE "sandbox_records" (
    "tenant" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "deleted" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "body" JSONB NOT NULL,

    CONSTRAINT "sandbox_records_pkey" PRIMARY KEY ("tenant","kind","id")
);

-- CreateIndex
CREATE INDEX "accounting_accounts_credential_id_created_at_id_idx" ON "accounting_accounts"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_accounts_credential_id_updated_at_id_idx" ON "accounting_accounts"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_accounts_credential_id_parent_account_id_created_idx" ON "accounting_accounts"("credential_id", "parent_account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_accounts_credential_id_company_id_created_at_id_idx" ON "accounting_accounts"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_bills_credential_id_created_at_id_idx" ON "accounting_bills"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_bills_credential_id_updated_at_id_idx" ON "accounting_bills"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_bills_credential_id_vendor_id_created_at_id_idx" ON "accounting_bills"("credential_id", "vendor_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_bills_credential_id_company_id_created_at_id_idx" ON "accounting_bills"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_company_info_credential_id_created_at_id_idx" ON "accounting_company_info"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_company_info_credential_id_updated_at_id_idx" ON "accounting_company_info"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_customers_credential_id_created_at_id_idx" ON "accounting_customers"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_customers_credential_id_updated_at_id_idx" ON "accounting_customers"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_customers_credential_id_company_id_created_at_id_idx" ON "accounting_customers"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_invoices_credential_id_created_at_id_idx" ON "accounting_invoices"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_invoices_credential_id_updated_at_id_idx" ON "accounting_invoices"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_invoices_credential_id_customer_id_created_at_id_idx" ON "accounting_invoices"("credential_id", "customer_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_invoices_credential_id_company_id_created_at_id_idx" ON "accounting_invoices"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_items_credential_id_created_at_id_idx" ON "accounting_items"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_items_credential_id_updated_at_id_idx" ON "accounting_items"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_items_credential_id_bill_account_id_created_at_i_idx" ON "accounting_items"("credential_id", "bill_account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_items_credential_id_invoice_account_id_created_a_idx" ON "accounting_items"("credential_id", "invoice_account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_items_credential_id_asset_account_id_created_at__idx" ON "accounting_items"("credential_id", "asset_account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_items_credential_id_company_id_created_at_id_idx" ON "accounting_items"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_payments_credential_id_created_at_id_idx" ON "accounting_payments"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_payments_credential_id_updated_at_id_idx" ON "accounting_payments"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_payments_credential_id_customer_id_created_at_id_idx" ON "accounting_payments"("credential_id", "customer_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_payments_credential_id_vendor_id_created_at_id_idx" ON "accounting_payments"("credential_id", "vendor_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_payments_credential_id_account_id_created_at_id_idx" ON "accounting_payments"("credential_id", "account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_payments_credential_id_company_id_created_at_id_idx" ON "accounting_payments"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_purchase_orders_credential_id_created_at_id_idx" ON "accounting_purchase_orders"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_purchase_orders_credential_id_updated_at_id_idx" ON "accounting_purchase_orders"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_purchase_orders_credential_id_vendor_id_created__idx" ON "accounting_purchase_orders"("credential_id", "vendor_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_purchase_orders_credential_id_account_id_created_idx" ON "accounting_purchase_orders"("credential_id", "account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_purchase_orders_credential_id_company_id_created_idx" ON "accounting_purchase_orders"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_tax_rates_credential_id_created_at_id_idx" ON "accounting_tax_rates"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_tax_rates_credential_id_updated_at_id_idx" ON "accounting_tax_rates"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_tax_rates_credential_id_company_id_created_at_id_idx" ON "accounting_tax_rates"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_tracking_categories_credential_id_created_at_id_idx" ON "accounting_tracking_categories"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_tracking_categories_credential_id_updated_at_id_idx" ON "accounting_tracking_categories"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_tracking_categories_credential_id_parent_categor_idx" ON "accounting_tracking_categories"("credential_id", "parent_category_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_tracking_categories_credential_id_company_id_cre_idx" ON "accounting_tracking_categories"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_vendors_credential_id_created_at_id_idx" ON "accounting_vendors"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounting_vendors_credential_id_updated_at_id_idx" ON "accounting_vendors"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "accounting_vendors_credential_id_company_id_created_at_id_idx" ON "accounting_vendors"("credential_id", "company_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_accounts_credential_id_created_at_id_idx" ON "crm_accounts"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_accounts_credential_id_updated_at_id_idx" ON "crm_accounts"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "crm_contacts_credential_id_created_at_id_idx" ON "crm_contacts"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_contacts_credential_id_updated_at_id_idx" ON "crm_contacts"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "crm_contacts_credential_id_account_created_at_id_idx" ON "crm_contacts"("credential_id", "account", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_leads_credential_id_created_at_id_idx" ON "crm_leads"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_leads_credential_id_updated_at_id_idx" ON "crm_leads"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "crm_notes_credential_id_created_at_id_idx" ON "crm_notes"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_notes_credential_id_updated_at_id_idx" ON "crm_notes"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "crm_notes_credential_id_note_owner_created_at_id_idx" ON "crm_notes"("credential_id", "note_owner", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_notes_credential_id_note_contact_created_at_id_idx" ON "crm_notes"("credential_id", "note_contact", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_notes_credential_id_note_account_created_at_id_idx" ON "crm_notes"("credential_id", "note_account", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_notes_credential_id_note_opportunity_created_at_id_idx" ON "crm_notes"("credential_id", "note_opportunity", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_opportunities_credential_id_created_at_id_idx" ON "crm_opportunities"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_opportunities_credential_id_updated_at_id_idx" ON "crm_opportunities"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "crm_opportunities_credential_id_opportunity_owner_created_a_idx" ON "crm_opportunities"("credential_id", "opportunity_owner", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_opportunities_credential_id_opportunity_account_created_idx" ON "crm_opportunities"("credential_id", "opportunity_account", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_opportunities_credential_id_opportunity_stage_created_a_idx" ON "crm_opportunities"("credential_id", "opportunity_stage", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_stages_credential_id_created_at_id_idx" ON "crm_stages"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_stages_credential_id_updated_at_id_idx" ON "crm_stages"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "crm_tasks_credential_id_created_at_id_idx" ON "crm_tasks"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_tasks_credential_id_updated_at_id_idx" ON "crm_tasks"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "crm_tasks_credential_id_task_owner_created_at_id_idx" ON "crm_tasks"("credential_id", "task_owner", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_tasks_credential_id_task_opportunity_created_at_id_idx" ON "crm_tasks"("credential_id", "task_opportunity", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_users_credential_id_created_at_id_idx" ON "crm_users"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "crm_users_credential_id_updated_at_id_idx" ON "crm_users"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "commerce_customers_credential_id_created_at_id_idx" ON "commerce_customers"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "commerce_customers_credential_id_updated_at_id_idx" ON "commerce_customers"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "commerce_fulfillments_credential_id_created_at_id_idx" ON "commerce_fulfillments"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "commerce_fulfillments_credential_id_updated_at_id_idx" ON "commerce_fulfillments"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "commerce_fulfillments_credential_id_order_id_created_at_id_idx" ON "commerce_fulfillments"("credential_id", "order_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "commerce_orders_credential_id_created_at_id_idx" ON "commerce_orders"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "commerce_orders_credential_id_updated_at_id_idx" ON "commerce_orders"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "commerce_products_credential_id_created_at_id_idx" ON "commerce_products"("credential_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "commerce_products_credential_id_updated_at_id_idx" ON "commerce_products"("credential_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "organisations_name_key" ON "organisations"("name");

-- CreateIndex
CREATE UNIQUE INDEX "environments_organisation_id_kind_key" ON "environments"("organisation_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_environment_id_idx" ON "api_keys"("environment_id");

-- CreateIndex
CREATE UNIQUE INDEX "end_users_environment_id_username_key" ON "end_users"("environment_id", "username");

-- CreateIndex
CREATE UNIQUE INDEX "credentials_route_key" ON "credentials"("route");

-- CreateIndex
CREATE INDEX "credentials_environment_id_idx" ON "credentials"("environment_id");

-- CreateIndex
CREATE INDEX "credentials_user_id_idx" ON "credentials"("user_id");

-- CreateIndex
CREATE INDEX "sync_states_due_at_idx" ON "sync_states"("due_at");

-- CreateIndex
CREATE INDEX "sandbox_records_tenant_kind_updated_at_id_idx" ON "sandbox_records"("tenant", "kind", "updated_at", "id");

-- AddForeignKey
ALTER TABLE "environments" ADD CONSTRAINT "environments_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "end_users" ADD CONSTRAINT "end_users_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "end_users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sync_states" ADD CONSTRAINT "sync_states_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credentials"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The change log: one row for every change of a record, connection or sync. Readers take rows in the
-- order (xid, sequence), below the oldest transaction still running, so no late commit is missed.
CREATE SCHEMA change_log;

CREATE TABLE change_log.changes (
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    environment_id uuid NOT NULL,
    credential_id uuid,
    topic text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('created', 'updated', 'deleted')),
    record_id uuid,
    changed_fields text[] NOT NULL DEFAULT '{}',
    -- The record as it then was, as the API shows it: json, not jsonb, keeps the text as it is.
    record json,
    at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (xid, sequence)
);

-- Keys and credentials are cached by every process. Whoever changes a row, even by hand, tells them all.
CREATE FUNCTION announce_access_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('trunkline_access', TG_TABLE_NAME || ':' || OLD.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER api_keys_changed AFTER UPDATE OR DELETE ON api_keys
    FOR EACH ROW EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER credentials_changed AFTER UPDATE OR DELETE ON credentials
    FOR EACH ROW EXECUTE FUNCTION announce_access_change();
